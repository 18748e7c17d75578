/** One frame of an event stream. `data` joins all its data lines. */
export interface SseFrame {
  readonly event: string | undefined
  readonly data: string
  readonly id: string | undefined
}

/** Takes a stream apart, piece by piece. */
export interface SseParser {
  /** Takes the next piece of text, cut anywhere. */
  push(piece: string): void
}

/** A frame longer than this is no event of ours; the stream is given up instead of filling the memory. */
const FRAME_LIMIT_CHARS = 32 * 1024 * 1024
const BYTE_ORDER_MARK = '\ufeff'

/**
 * Parses server-sent events. Pieces may be cut anywhere, between `\r` and `\n` too; each character is looked at once
 * however small the pieces are. A comment line calls `onComment`; an unfinished frame at the end is dropped.
 */
export function createSseParser(onFrame: (frame: SseFrame) => void, onComment?: () => void): SseParser {
  const lineEnd = /\r\n?|\n/g
  let partial: string[] = []
  let heldChars = 0
  let data: string[] = []
  let event: string | undefined
  let id: string | undefined
  let isStart = true
  let skipNewline = false

  const endLine = (line: string): void => {
    if (line === '') {
      const frame = { event, data: data.join('\n'), id }
      const isEmpty = data.length === 0
      data = []
      event = undefined
      id = undefined
      heldChars = 0
      if (!isEmpty) onFrame(frame)
      return
    }
    const colon = line.indexOf(':')
    if (colon === 0) {
      if (data.length === 0) heldChars = 0
      onComment?.()
      return
    }
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (field === 'data') data.push(value)
    if (field === 'event') event = value
    if (field === 'id' && !value.includes('\0')) id = value
  }

  return {
    push(piece) {
      let from = isStart && piece.startsWith(BYTE_ORDER_MARK) ? 1 : 0
      if (piece !== '') isStart = false
      if (skipNewline && piece[from] === '\n') from++
      if (piece !== '') skipNewline = piece.endsWith('\r')
      lineEnd.lastIndex = from
      for (let end = lineEnd.exec(piece); end !== null; end = lineEnd.exec(piece)) {
        const next = lineEnd.lastIndex
        partial.push(piece.slice(from, end.index))
        const line = partial.length === 1 ? (partial[0] ?? '') : partial.join('')
        partial = []
        from = next
        endLine(line)
        lineEnd.lastIndex = next
      }
      if (from < piece.length) partial.push(piece.slice(from))
      heldChars += piece.length
      if (heldChars > FRAME_LIMIT_CHARS) throw new RangeError('The event stream sent a frame of more than 32 MiB.')
    },
  }
}

/** The part of a web stream that reading needs. */
export interface ByteStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
    cancel(reason?: unknown): Promise<void>
  }
}

/**
 * Reads a stream of bytes to its end through a parser. A character cut in half by the transport is put together again.
 * Ends early, without an error, when `signal` aborts.
 */
export async function readSse(body: ByteStream, parser: SseParser, signal: AbortSignal): Promise<void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const stop = (): void => {
    // The stream is being given up, so a failure to cancel it changes nothing.
    reader.cancel().catch(() => undefined)
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read()
      if (done || signal.aborted) return
      if (value) parser.push(decoder.decode(value, { stream: true }))
    }
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}
