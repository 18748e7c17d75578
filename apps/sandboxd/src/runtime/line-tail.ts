/** The last lines a program wrote, bounded however much it writes, and each complete line as it comes. */
export interface LineTail {
  push(chunk: Buffer): void
  text(): string
}

const maxLineChars = 8_192
const maxTailChars = 16_384

export function createLineTail(onLine: (line: string) => void): LineTail {
  let tail = ''
  let open = ''
  return {
    push(chunk) {
      const text = chunk.toString('utf8')
      tail = (tail + text).slice(-maxTailChars)
      const lines = (open + text).split('\n')
      open = (lines.pop() ?? '').slice(-maxLineChars)
      for (const line of lines) onLine(line)
    },
    text: () => tail,
  }
}
