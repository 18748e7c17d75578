const metadata = /<bash_metadata>[\s\S]*?<\/bash_metadata>/g
const trailer = /<\/?(?:system_info|exit_code|stderr_note)>/
const maxChars = 20_000

/** What a command printed, with its colours; undefined when it has none, and the library's own reading does. */
export function readShellOutput(output: string | undefined): string | undefined {
  if (!output?.includes('\u001b[')) return undefined
  const [printed = ''] = output.replace(metadata, '').split(trailer, 1)
  const text = printed.trim()
  return text.length > maxChars ? `${text.slice(0, maxChars)}\n…` : text
}
