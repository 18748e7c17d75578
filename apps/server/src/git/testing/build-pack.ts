import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

export type PackObject =
  | { readonly type: 'commit' | 'tree' | 'blob'; readonly content: Buffer }
  | { readonly type: 'delta'; readonly base: string; readonly delta: Buffer }

const types = { commit: 1, tree: 2, blob: 3, delta: 7 }

/** A pack written by hand, for what no honest client would send. */
export function buildPack(objects: readonly PackObject[]): Buffer {
  const head = Buffer.alloc(12)
  head.write('PACK')
  head.writeUInt32BE(2, 4)
  head.writeUInt32BE(objects.length, 8)
  const body = Buffer.concat([head, ...objects.map(encodeObject)])
  return Buffer.concat([body, createHash('sha1').update(body).digest()])
}

export function objectId(type: string, content: Buffer): string {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex')
}

/** A tree from `[mode, name, id]` rows, whatever they say. */
export function buildTree(rows: readonly (readonly [string, string | Buffer, string])[]): Buffer {
  return Buffer.concat(
    rows.flatMap(([mode, name, id]) => [
      Buffer.from(`${mode} `),
      Buffer.from(name),
      Buffer.from([0]),
      Buffer.from(id, 'hex'),
    ]),
  )
}

export function buildCommit(tree: string, parent: string | null): Buffer {
  const who = 'Eve <eve@example.com> 1700000000 +0000'
  return Buffer.from(`tree ${tree}\n${parent ? `parent ${parent}\n` : ''}author ${who}\ncommitter ${who}\n\nHostile\n`)
}

/** A delta of a few bytes that copies its whole base (at most 16 MiB) again and again. */
export function buildDeltaBomb(baseBytes: number, copies: number): Buffer {
  const copy = Buffer.from([0xf0, baseBytes & 255, (baseBytes >> 8) & 255, (baseBytes >> 16) & 255])
  return Buffer.concat([varint(baseBytes), varint(baseBytes * copies), ...Array.from({ length: copies }, () => copy)])
}

/** The body of a push request: one command, then the pack. */
export function buildPush(old: string | null, now: string, ref: string, pack: Buffer): Buffer {
  const line = `${old ?? '0'.repeat(40)} ${now} ${ref}\0report-status\n`
  return Buffer.concat([Buffer.from(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`), pack])
}

function encodeObject(object: PackObject): Buffer {
  const content = object.type === 'delta' ? object.delta : object.content
  const bytes: number[] = []
  let size = content.length
  let first = (types[object.type] << 4) | (size & 15)
  size = Math.floor(size / 16)
  while (size > 0) {
    bytes.push(first | 0x80)
    first = size & 127
    size = Math.floor(size / 128)
  }
  bytes.push(first)
  const base = object.type === 'delta' ? Buffer.from(object.base, 'hex') : Buffer.alloc(0)
  return Buffer.concat([Buffer.from(bytes), base, deflateSync(content)])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest >= 128) {
    bytes.push((rest % 128) | 0x80)
    rest = Math.floor(rest / 128)
  }
  return Buffer.from([...bytes, rest])
}
