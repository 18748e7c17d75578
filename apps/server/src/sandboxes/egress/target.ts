import { plainHost } from '../../kernel/outbound/address-policy.ts'

/** Where a connection out of a sandbox leads. The host is in the one form that every check uses. */
export interface Target {
  readonly host: string
  readonly port: number
}

/** `host:port` of a CONNECT. Undefined when it is anything else. */
export function readAuthority(authority: string): Target | undefined {
  const match = /^([^/?#@\\\s]+):(\d{1,5})$/.exec(authority)
  return match?.[1] && match[2] ? readTarget(match[1], Number(match[2])) : undefined
}

/** The absolute address of a plain request. Undefined when it is not http or holds credentials. */
export function readAbsoluteUrl(text: string): { target: Target; url: URL } | undefined {
  if (!/^http:\/\//i.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return undefined
  const target = readTarget(url.hostname, url.port === '' ? 80 : Number(url.port))
  return target && { target, url }
}

/** Numbers in any base, full-width letters and trailing dots all become the one spelling that names the same host. */
function readTarget(host: string, port: number): Target | undefined {
  if (port < 1 || port > 65_535 || !URL.canParse(`http://${host}/`)) return undefined
  const url = new URL(`http://${host}/`)
  if (url.username !== '' || url.port !== '' || url.pathname !== '/') return undefined
  const plain = plainHost(url.hostname)
  return plain === '' ? undefined : { host: plain, port }
}

export function writeAuthority({ host, port }: Target): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}
