import type { Upstream } from '../resolve.ts'
import type { IncomingBody } from './send-request.ts'

/** Shorter ones are placeholders, as `ollama`: words that an honest answer may have. */
const minKeyBytes = 16
const secretHeader = /key|token|secret|auth/i
const space = 0x20

const known = new WeakMap<Upstream, readonly Buffer[]>()

/**
 * What an upstream must not repeat to a caller: its keys, and whatever the operator's headers hold of that kind, also as
 * JSON writes them.
 */
export function secretsOf(upstream: Upstream): readonly Buffer[] {
  const found = known.get(upstream)
  if (found) return found
  const headers = Object.entries(upstream.headers).filter(([name]) => secretHeader.test(name))
  const values = [...upstream.credentials, ...headers.map(([, value]) => value.replace(/^\S+\s+/, ''))]
  const spelled = values
    .filter((value) => value.length >= minKeyBytes && !/\s/.test(value))
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1), value.replaceAll('/', '\\/')])
  const secrets = [...new Set(spelled)].map((value) => Buffer.from(value))
  known.set(upstream, secrets)
  return secrets
}

/**
 * The same body with every secret blotted out, wherever the network cuts it. A piece that ends within what may be one
 * keeps that end back until the next piece; a secret has no white space, so no whole event ever waits.
 */
export function hideKeys(body: IncomingBody, secrets: readonly Buffer[]): IncomingBody {
  if (secrets.length === 0) return body
  return {
    read(take) {
      let held: Buffer | undefined
      const pass = (chunk: Buffer) => {
        const bytes = blotOut(held ? Buffer.concat([held, chunk]) : chunk, secrets)
        const keptBytes = begunAtEnd(bytes, secrets)
        held = keptBytes > 0 ? bytes.subarray(bytes.length - keptBytes) : undefined
        if (keptBytes === 0) take(bytes)
        else if (keptBytes < bytes.length) take(bytes.subarray(0, bytes.length - keptBytes))
      }
      return body.read(pass).then(() => {
        if (held) take(held)
      })
    },
    pause: () => body.pause(),
    resume: () => body.resume(),
    discard: () => body.discard(),
  }
}

/** Of the same length: neither the document nor what was counted of it changes. */
function blotOut(bytes: Buffer, secrets: readonly Buffer[]): Buffer {
  let clean = bytes
  for (const secret of secrets) {
    for (let at = clean.indexOf(secret); at >= 0; at = clean.indexOf(secret, at + secret.length)) {
      if (clean === bytes) clean = Buffer.from(bytes)
      clean.fill('*', at, at + secret.length)
    }
  }
  return clean
}

/** How many bytes at the end may be the beginning of a secret. */
function begunAtEnd(bytes: Buffer, secrets: readonly Buffer[]): number {
  const { length } = bytes
  if (length === 0 || (bytes[length - 1] ?? 0) <= space) return 0
  let longest = 0
  for (const secret of secrets) {
    for (let count = Math.min(length, secret.length - 1); count > longest; count--) {
      if (bytes[length - count] !== secret[0]) continue
      if (bytes.compare(secret, 0, count, length - count) === 0) longest = count
    }
  }
  return longest
}
