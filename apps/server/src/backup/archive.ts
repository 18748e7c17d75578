import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { constants, createGunzip, createGzip } from 'node:zlib'
import { z } from 'zod'
import { endOfTar, maxEntryBytes, packEntry, readTar, type TarEntry } from './tar.ts'

/** First in a backup: what it was made of. */
export const Header = z.object({
  format: z.literal('svc-backup'),
  version: z.literal(1),
  created_at: z.string(),
  migrations: z.array(z.object({ version: z.number(), name: z.string(), checksum: z.string() })),
  has_master_key: z.boolean(),
})
export type Header = z.output<typeof Header>

/** Last in a backup, so that one without it is known to be cut off. */
export const Summary = z.object({
  rows: z.record(z.string(), z.number()),
  sequences: z.array(z.object({ name: z.string(), last_value: z.string() })),
  repositories: z.array(z.object({ id: z.uuid(), head: z.string(), ref_count: z.number() })),
})
export type Summary = z.output<typeof Summary>

export interface ArchiveWriter {
  add(name: string, content: Buffer | string): Promise<void>
  /** In pieces, as it comes: its size need not be known. Returns how often the byte `counted` occurs. */
  addStream(name: string, source: AsyncIterable<Uint8Array>, counted?: number): Promise<number>
  /** The backup appears under its name now, complete and on the disk. */
  finish(): Promise<void>
  discard(): Promise<void>
}

/** Only its owner can read it: it holds the keys too. */
export async function createArchive(path: string): Promise<ArchiveWriter> {
  const draft = `${path}.part`
  const gzip = createGzip({ level: constants.Z_BEST_SPEED })
  const output = gzip.pipe(createWriteStream(draft, { mode: 0o600 }))
  // Told to whoever writes next, by `finished`.
  gzip.on('error', () => undefined)
  const ended = finished(output)
  ended.catch(() => gzip.destroy())

  async function write(piece: Buffer): Promise<void> {
    if (output.errored) throw output.errored
    if (!gzip.write(piece)) await Promise.race([once(gzip, 'drain'), ended])
  }

  const archive: ArchiveWriter = {
    async add(name, content) {
      for (const piece of packEntry(name, Buffer.from(content))) if (piece.length > 0) await write(piece)
    },
    async addStream(name, source, counted) {
      let occurrences = 0
      let part = 0
      let held: Uint8Array[] = []
      let heldBytes = 0
      const flush = async () => {
        part += 1
        const content = Buffer.concat(held)
        held = []
        heldBytes = 0
        for (let start = 0; start < content.length; start += maxEntryBytes) {
          const suffix = `${String(part).padStart(6, '0')}-${start / maxEntryBytes}`
          await archive.add(`${name}/${suffix}`, content.subarray(start, start + maxEntryBytes))
        }
      }
      for await (const piece of source) {
        if (counted !== undefined) for (const byte of piece) if (byte === counted) occurrences += 1
        held.push(piece)
        heldBytes += piece.length
        if (heldBytes >= maxEntryBytes / 2) await flush()
      }
      if (heldBytes > 0) await flush()
      return occurrences
    },
    async finish() {
      await write(endOfTar)
      gzip.end()
      await ended
      const file = await open(draft, 'r')
      await file.sync().finally(() => file.close())
      await rename(draft, path)
    },
    async discard() {
      gzip.destroy()
      output.destroy()
      await ended.catch(() => undefined)
      await rm(draft, { force: true })
    },
  }
  return archive
}

/** What was added under one name: its pieces, in order. */
export interface Group {
  readonly name: string
  readonly pieces: AsyncIterable<Buffer>
}

/** Everything in a backup, one name after the other. What is left of a group that nobody read is skipped. */
export async function* readArchive(path: string): AsyncGenerator<Group> {
  const input = createReadStream(path)
  const gunzip = input.pipe(createGunzip())
  input.on('error', (error) => gunzip.destroy(error))
  const entries = readTar(gunzip)[Symbol.asyncIterator]()
  try {
    let next = await entries.next()
    while (!next.done) {
      const name = groupOf(next.value)
      async function* pieces(): AsyncGenerator<Buffer> {
        while (!next.done && groupOf(next.value) === name) {
          yield next.value.content
          next = await entries.next()
        }
      }
      yield { name, pieces: pieces() }
      while (!next.done && groupOf(next.value) === name) next = await entries.next()
    }
  } finally {
    input.destroy()
    gunzip.destroy()
  }
}

const groupOf = ({ name }: TarEntry) => name.replace(/\/\d{6}-\d+$/, '')

export async function readWhole(pieces: AsyncIterable<Buffer>): Promise<string> {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all).toString('utf8')
}
