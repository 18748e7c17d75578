/** As much of the tar format as a backup needs: regular files of bounded size, readable by any tar program. */

export interface TarEntry {
  readonly name: string
  readonly content: Buffer
}

const blockBytes = 512
/** What is larger is written in pieces. Keeps writing and reading within this much memory. */
export const maxEntryBytes = 4 * 1024 * 1024

export function packEntry(name: string, content: Buffer): Buffer[] {
  if (Buffer.byteLength(name) > 100) throw new TypeError(`the name ${name} is too long for an entry`)
  const header = Buffer.alloc(blockBytes)
  header.write(name, 0)
  header.write('0000600\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124)
  header.write('00000000000\0', 136)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\u000000', 257)
  header.write(`${checksum(header).toString(8).padStart(6, '0')}\0 `, 148)
  const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes)
  return [header, content, padding]
}

export const endOfTar = Buffer.alloc(2 * blockBytes)

/** Every entry in order. An archive that ends too early, or is none, is refused. */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const reader = createReader(source)
  for (;;) {
    const header = await reader.take(blockBytes)
    if (header.every((byte) => byte === 0)) return
    if (Number.parseInt(header.toString('latin1', 148, 156), 8) !== checksum(header)) throw new TarError()
    const sizeBytes = Number.parseInt(header.toString('latin1', 124, 136), 8)
    if (!Number.isInteger(sizeBytes) || sizeBytes > maxEntryBytes) throw new TarError()
    const content = await reader.take(sizeBytes)
    await reader.take((blockBytes - (sizeBytes % blockBytes)) % blockBytes)
    yield { name: header.toString('utf8', 0, header.indexOf(0)), content }
  }
}

export class TarError extends Error {
  constructor() {
    super('The file is cut off, or it is no backup.')
    this.name = 'TarError'
  }
}

/** The sum of the bytes of a header, its own place counted as spaces. */
function checksum(header: Buffer): number {
  return header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 32 : byte), 0)
}

function createReader(source: AsyncIterable<Buffer>) {
  const pieces = source[Symbol.asyncIterator]()
  let held: Buffer[] = []
  let heldBytes = 0
  return {
    async take(sizeBytes: number): Promise<Buffer> {
      while (heldBytes < sizeBytes) {
        const next = await pieces.next()
        if (next.done) throw new TarError()
        held.push(next.value)
        heldBytes += next.value.length
      }
      const all = held.length === 1 && held[0] ? held[0] : Buffer.concat(held)
      held = [all.subarray(sizeBytes)]
      heldBytes -= sizeBytes
      return all.subarray(0, sizeBytes)
    },
  }
}
