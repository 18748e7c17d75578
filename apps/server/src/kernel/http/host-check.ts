import { isIP } from 'node:net'

/**
 * Refuses host names this server does not answer for, so that a page whose name was re-bound to this machine cannot
 * talk to it. Address literals are safe (no name to re-bind); `localhost` and names below it always mean this machine.
 */
export function createHostCheck(names: readonly string[]): (host: string | undefined) => boolean {
  const known = new Set(names.map((name) => name.toLowerCase()))
  // A running server sees few distinct Host values: remember the good ones.
  const seen = new Set<string>()

  return (host) => {
    if (host === undefined) return false
    if (seen.has(host)) return true
    const name = hostName(host)
    const allowed = known.has(name) || name === 'localhost' || name.endsWith('.localhost') || isIP(name) !== 0
    if (allowed && seen.size < 1_000) seen.add(host)
    return allowed
  }
}

function hostName(host: string): string {
  const withoutPort = host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.replace(/:\d*$/, '')
  return withoutPort.toLowerCase().replace(/\.$/, '')
}
