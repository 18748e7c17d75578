import { toText } from '../wire/read-value.ts'

/** CSI (colours, cursor), OSC (titles and links) with at most 512 characters of payload, and charset selection. */
const CONTROL_SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]{0,512}(?:\u0007|\u001b\\)|[()*+\-./][0-9A-Za-z])/g

/**
 * Removes terminal control sequences: CSI (colours, cursor), OSC (titles and links, payload up to 512 characters) and
 * charset selection. One pass over the text, whatever it holds. Falsy input gives `''`.
 *
 * @example
 * stripAnsi('\u001b[31mred\u001b[0m!') // 'red!'
 */
export function stripAnsi(text: string | null | undefined): string {
  return toText(text).replace(CONTROL_SEQUENCE, '')
}
