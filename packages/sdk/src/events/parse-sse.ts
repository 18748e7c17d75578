import { onAbort } from '../http/limit-time.ts'

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

/**
 * Parses server-sent events. Pieces may be cut anywhere, between `\r` and `\n` too; each character is looked at once
 * however small the pieces are. A comment line calls `onComment`; an unfinished frame at the end is dropped.
 */
export function createSseParser(onFrame: (frame: SseFrame) => void, onComment?: () => void): SseParser {
  let partial: string[] = []
  let heldChars = 0
  let data: string[] = []
  let event: string | undefined
  let id: string | undefined
  let endedInReturn = false

  const endFrame = (): void => {
    const frame = { event, data: data.join('\n'), id }
    const isEmpty = data.length === 0
    data = []
    event = id = undefined
    heldChars = 0
    if (!isEmpty) onFrame(frame)
  }
  const endLine = (line: string): void => {
    const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    if (line === '') endFrame()
    else if (field === '') {
      if (data.length === 0) heldChars = 0
      onComment?.()
    } else if (field === 'data') data.push(value)
    else if (field === 'event') event = value
    else if (field === 'id' && !value.includes('\0')) id = value
  }

  return {
    push(piece) {
      const isRest = endedInReturn && piece.startsWith('\n')
      const [first = '', ...lines] = (isRest ? piece.slice(1) : piece).split(/\r\n?|\n/)
      if (piece) endedInReturn = piece.endsWith('\r')
      partial.push(first)
      for (const next of lines) {
        const line = partial.join('')
        partial = [next]
        endLine(line)
      }
      heldChars += piece.length
      if (heldChars > FRAME_LIMIT_CHARS) throw new RangeError('An event is larger than 32 MiB.')
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
  // The stream is being given up, so a failure to cancel it changes nothing.
  const stop = (): unknown => reader.cancel().catch(() => undefined)
  const leave = onAbort(signal, stop)
  try {
    for (let piece = await reader.read(); !piece.done && !signal.aborted; piece = await reader.read()) {
      parser.push(decoder.decode(piece.value, { stream: true }))
    }
  } finally {
    leave()
    stop()
  }
}
