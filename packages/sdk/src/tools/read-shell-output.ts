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
export function shellExitCode(output: unknown): number | undefined {
  const [, code] = EXIT_CODE.exec(toText(output)) ?? []
  return code ? Number(code) : undefined
}

/** What a shell call printed, without the tags the runtime adds, without terminal control sequences, trimmed. */
export function readShellText(output: string): string {
  const [printed = ''] = dropMetadata(output).split(TRAILER_TAG, 1)
  return stripAnsi(printed).trim()
}

/** Removes closed metadata blocks in one pass; an unclosed one stays. */
function dropMetadata(text: string): string {
  const [last = '', ...closed] = text.split(METADATA_CLOSE).reverse()
  const kept = closed.map((block) => {
    const open = block.indexOf(METADATA_OPEN)
    return open < 0 ? block + METADATA_CLOSE : block.slice(0, open)
  })
  return kept.reverse().join('') + last
}
