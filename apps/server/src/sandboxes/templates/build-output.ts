/** The end of a build's output, written away now and then. */
export interface BuildOutput {
  add(line: string): void
  /** Writes what is not written yet. */
  finish(): Promise<void>
}

const keptBytes = 128 * 1024
const everyMs = 1_000
const maxLineLength = 4_000

/** However much a build prints, what is kept is bounded: its end, which is where errors stand. */
export function createBuildOutput(
  write: (text: string) => Promise<void>,
  clean: (line: string) => string,
): BuildOutput {
  let text = ''
  let isCut = false
  let written = ''
  let writing: Promise<void> = Promise.resolve()
  const timer = setInterval(flush, everyMs)
  timer.unref()

  function flush(): void {
    const now = isCut ? `… the beginning is not kept\n${text}` : text
    if (now === written) return
    written = now
    // A log that cannot be written must not fail the build that it is about.
    writing = writing.then(() => write(now)).catch(() => undefined)
  }

  return {
    add(line) {
      text += `${clean(line).slice(0, maxLineLength)}\n`
      if (text.length <= keptBytes) return
      isCut = true
      text = text.slice(text.indexOf('\n', text.length - keptBytes) + 1)
    },
    async finish() {
      clearInterval(timer)
      flush()
      await writing
    },
  }
}

/** Colours and other orders to a terminal, and bytes that text cannot hold. */
export function cleanLine(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out.
  return line.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f]/g, '').trimEnd()
}
