import { writeSync } from 'node:fs'

export interface LineWriter {
  write(line: string): void
  /** Hands over what the reader takes now. Never waits: the rest follows by itself. */
  drain(): void
  /** Everything written so far is with the operating system when this returns, or the wait for a stalled reader is over. For the end only. */
  flush(): void
}

const BATCH_CHARS = 32_768
const HELD_CHARS = 8 * 1024 * 1024
const RETRY_MS = 10
const EXIT_WAIT_MS = 2_000

/**
 * Gathers the lines of one turn of the event loop into one write. Lines are not lost by `process.exit`, an uncaught
 * error, SIGTERM, SIGINT or SIGHUP. A reader that stalls costs at most 8 MiB of memory; what no longer fits is
 * counted and the count is logged.
 */
export function createLineWriter(fd: number): LineWriter {
  let held = ''
  /** What a full pipe did not take of the last write. */
  let rest: Buffer | undefined
  let dropped = 0
  let scheduled = false

  function write(line: string): void {
    if (held.length > HELD_CHARS) {
      dropped += 1
      return
    }
    held += `${line}\n`
    if (held.length >= BATCH_CHARS && !rest) drain()
    else schedule()
  }

  function schedule(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      if (!drain()) setTimeout(schedule, RETRY_MS).unref()
    })
  }

  /** False when the reader takes no more for now. */
  function drain(): boolean {
    while (rest || held !== '' || dropped > 0) {
      const bytes = rest ?? Buffer.from(takeHeld())
      rest = writeWhatFits(fd, bytes)
      if (rest) return false
    }
    return true
  }

  function takeHeld(): string {
    const lines = dropped === 0 ? held : `${held}${describeDropped(dropped)}\n`
    held = ''
    dropped = 0
    return lines
  }

  function flush(): void {
    const waiting = new Int32Array(new SharedArrayBuffer(4))
    for (let waitedMs = 0; !drain() && waitedMs < EXIT_WAIT_MS; waitedMs += RETRY_MS) {
      Atomics.wait(waiting, 0, 0, RETRY_MS)
    }
  }

  flushAtEnd(flush, drain)
  return { write, drain, flush }
}

function describeDropped(dropped: number): string {
  return JSON.stringify({ level: 'warn', msg: 'log lines dropped because nobody read them', dropped })
}

/** What is left to write, undefined when everything is written. */
function writeWhatFits(fd: number, bytes: Buffer): Buffer | undefined {
  let sent = 0
  while (sent < bytes.length) {
    try {
      sent += writeSync(fd, bytes, sent)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      // A full pipe is tried again later; a closed one has nobody left to tell.
      return code === 'EAGAIN' ? bytes.subarray(sent) : undefined
    }
  }
  return undefined
}

const ENDING_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

function flushAtEnd(flush: () => void, drain: () => void): void {
  process.on('exit', flush)
  for (const signal of ENDING_SIGNALS) {
    const onSignal = () => {
      // Whoever else handles the signal goes on for a while, and must not be kept waiting by a stalled reader.
      if (process.listenerCount(signal) > 1) return drain()
      flush()
      // Nobody else handles it: let the signal end the process as it would have without us.
      process.removeListener(signal, onSignal)
      process.kill(process.pid, signal)
    }
    process.on(signal, onSignal)
  }
}
