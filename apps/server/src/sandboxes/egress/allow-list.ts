import { isIP } from 'node:net'
import { plainHost } from '../../kernel/outbound/address-policy.ts'
import type { Target } from './target.ts'

/**
 * An entry is a host, `*.` and a host for everything below it, or an address; each may end with a port. It narrows
 * what the platform allows and never widens it: a private address stays refused whatever the list says.
 */
export function isAllowEntry(entry: string): boolean {
  return readEntry(entry) !== undefined
}

/** No list: every public host. */
export function isAllowed(allow: readonly string[] | undefined, target: Target): boolean {
  return allow === undefined || allow.some((entry) => matches(entry, target))
}

function matches(text: string, { host, port }: Target): boolean {
  const entry = readEntry(text)
  if (!entry || (entry.port !== undefined && entry.port !== port)) return false
  return entry.below ? host.endsWith(`.${entry.host}`) : host === entry.host
}

interface Entry {
  readonly host: string
  readonly below: boolean
  readonly port: number | undefined
}

function readEntry(text: string): Entry | undefined {
  const match = /^(\*\.)?(\[[0-9a-f:.]+\]|[^\s:/?#@*[\]]+)(?::(\d{1,5}))?$/i.exec(text)
  if (!match?.[2]) return undefined
  const port = match[3] === undefined ? undefined : Number(match[3])
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined
  if (!URL.canParse(`http://${match[2]}/`)) return undefined
  const host = plainHost(new URL(`http://${match[2]}/`).hostname)
  const below = match[1] !== undefined
  if (host === '' || (below && (isIP(host) !== 0 || !host.includes('.')))) return undefined
  return { host, below, port }
}
