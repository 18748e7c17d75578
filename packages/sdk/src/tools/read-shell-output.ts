import { stripAnsi } from '../text/strip-ansi.ts'
import { toText } from '../wire/read-value.ts'

const METADATA_OPEN = '<bash_metadata>'
const METADATA_CLOSE = '</bash_metadata>'
const TRAILER_TAG = /<\/?(?:system_info|exit_code|stderr_note)>/
const EXIT_CODE = /<exit_code>\s*(-?\d{1,10})\s*<\/exit_code>/

/**
 * The exit code a shell call reports in its output; undefined when it reports none.
 *
 * @example
 * shellExitCode('built\n<exit_code>2</exit_code>') // 2
 */
export function shellExitCode(output: string | null | undefined): number | undefined {
  const code = EXIT_CODE.exec(toText(output))?.[1]
  return code === undefined ? undefined : Number(code)
}

/** What a shell call printed, without the tags the runtime adds, without terminal control sequences, trimmed. */
export function readShellText(output: string): string {
  const text = dropMetadata(output)
  const trailer = text.search(TRAILER_TAG)
  return stripAnsi(trailer < 0 ? text : text.slice(0, trailer)).trim()
}

/** Removes closed metadata blocks in one pass; an unclosed one stays. */
function dropMetadata(text: string): string {
  const kept: string[] = []
  let from = 0
  for (;;) {
    const open = text.indexOf(METADATA_OPEN, from)
    const close = open < 0 ? -1 : text.indexOf(METADATA_CLOSE, open)
    if (close < 0) break
    kept.push(text.slice(from, open))
    from = close + METADATA_CLOSE.length
  }
  kept.push(text.slice(from))
  return kept.join('')
}
