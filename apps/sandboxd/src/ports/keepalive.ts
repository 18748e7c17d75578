import { Transform } from 'node:stream'

const comment = ': keepalive\n\n'

/** Passes an event stream through and says a comment after a silence, only ever between two events. */
export function createKeepalive(silenceMs: number): Transform {
  let endsEvent = true
  let timer: NodeJS.Timeout | undefined
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      endsEvent = chunk.length > 1 ? endsWithBlankLine(chunk) : endsEvent && chunk[0] === 0x0a
      timer?.refresh()
      done(null, chunk)
    },
    destroy(error, done) {
      clearInterval(timer)
      done(error)
    },
    flush(done) {
      clearInterval(timer)
      done()
    },
  })
  timer = setInterval(() => {
    if (endsEvent && stream.readableLength === 0) stream.push(comment)
  }, silenceMs)
  timer.unref()
  return stream
}

const endsWithBlankLine = (chunk: Buffer) => {
  const end = chunk.subarray(-4).toString('latin1')
  return end.endsWith('\n\n') || end.endsWith('\r\n\r\n')
}
