import type { Readable } from 'node:stream'

/** The last lines of what a machine said about itself, whatever the amount. */
export function keepTail(streams: readonly (Readable | null | undefined)[], maxBytes = 8_192): () => string {
  let tail = ''
  for (const stream of streams) {
    stream?.setEncoding('utf8')
    stream?.on('data', (chunk: string) => {
      tail = `${tail}${chunk}`.slice(-maxBytes)
    })
  }
  return () => tail.trim()
}
