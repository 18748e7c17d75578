/** The last part of what a terminal showed, for whoever joins later. Bounded, and never cut inside a character. */
export interface Scrollback {
  push(text: string): void
  text(): string
}

export function createScrollback(maxBytes: number): Scrollback {
  let chunks: string[] = []
  let sizeBytes = 0
  const compact = () => {
    const bytes = Buffer.from(chunks.join(''))
    let start = Math.max(0, bytes.length - maxBytes)
    // Continuation bytes of UTF-8 begin with the bits 10.
    while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1
    const kept = bytes.subarray(start)
    chunks = [kept.toString('utf8')]
    sizeBytes = kept.length
  }
  return {
    push(text) {
      chunks.push(text)
      sizeBytes += Buffer.byteLength(text)
      if (sizeBytes > maxBytes * 2) compact()
    },
    text() {
      if (sizeBytes > maxBytes) compact()
      return chunks.join('')
    },
  }
}
