import { StringDecoder } from 'node:string_decoder'

export interface SseEvent {
  readonly event?: string | undefined
  readonly data: string
}

export interface SseReader {
  /** The events that are whole now. */
  push(chunk: Buffer): SseEvent[]
  /** Nothing is waiting for more bytes. */
  isIdle(): boolean
  /** About how much waits for its end. */
  waitingBytes(): number
}

/** Reads server-sent events from pieces cut anywhere, also within a character. */
export function createSseReader(): SseReader {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  let event: string | undefined
  let data: string[] = []
  let dataBytes = 0

  return {
    isIdle: () => rest === '' && data.length === 0 && event === undefined,
    waitingBytes: () => rest.length + dataBytes,
    push(chunk) {
      const events: SseEvent[] = []
      rest += decoder.write(chunk)
      let from = 0
      for (let end = rest.indexOf('\n', from); end >= 0; end = rest.indexOf('\n', from)) {
        const line = rest[end - 1] === '\r' ? rest.slice(from, end - 1) : rest.slice(from, end)
        from = end + 1
        if (line === '') {
          if (data.length > 0) events.push({ event, data: data.join('\n') })
          event = undefined
          data = []
          dataBytes = 0
        } else if (line.startsWith('data:')) {
          data.push(line.slice(line[5] === ' ' ? 6 : 5))
          dataBytes += line.length
        } else if (line.startsWith('event:')) event = line.slice(6).trim()
      }
      rest = rest.slice(from)
      return events
    },
  }
}

export function writeSse({ event, data }: SseEvent): string {
  return event === undefined ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`
}
