import { copyFile, open, stat, truncate } from 'node:fs/promises'

const limitBytes = 8 * 1024 * 1024
const checkEveryMs = 60_000

/** PostgreSQL's log: this file and one older copy, each bounded. It is written by PostgreSQL itself, so it outlives a killed server. */
export interface LogFile {
  readonly fd: number
  /** What was written since the file was opened or marked. */
  tail(): Promise<string>
  mark(): Promise<void>
  close(): Promise<void>
}

export async function openLogFile(path: string): Promise<LogFile> {
  await rotateWhenLarge(path)
  const file = await open(path, 'a+', 0o600)
  let offset = (await file.stat()).size
  // Everybody appends, so cutting the file to nothing under a writer is safe.
  const timer = setInterval(() => {
    rotateWhenLarge(path).catch((error: unknown) => console.error('The database log could not be rotated.', error))
  }, checkEveryMs)
  timer.unref()
  return {
    fd: file.fd,
    async mark() {
      offset = (await file.stat()).size
    },
    async tail() {
      const { size } = await file.stat()
      const from = Math.max(Math.min(offset, size), size - 16_384)
      const buffer = Buffer.alloc(size - from)
      await file.read(buffer, 0, buffer.length, from)
      return buffer.toString()
    },
    async close() {
      clearInterval(timer)
      await file.close()
    },
  }
}

async function rotateWhenLarge(path: string): Promise<void> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  )
  if (size < limitBytes) return
  await copyFile(path, `${path}.1`)
  await truncate(path, 0)
}
