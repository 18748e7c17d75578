/** What must not reach a program inside: the platform's credentials, and what belongs to one connection alone. */
const kept = new Set([
  'authorization',
  'x-svc-user-context',
  'x-svc-service-call',
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'expect',
])

/** The raw header list (name, value, name, value …) without what stays here, with the given host. */
export function forwardHeaders(rawHeaders: readonly string[], host: string): string[] {
  return ['Host', host, ...dropHeaders(rawHeaders, (name) => kept.has(name))]
}

const ownToConnection = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
])

export const answerHeaders = (rawHeaders: readonly string[]): string[] =>
  dropHeaders(rawHeaders, (name) => ownToConnection.has(name))

function dropHeaders(rawHeaders: readonly string[], isDropped: (name: string) => boolean): string[] {
  const headers: string[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (!isDropped(name.toLowerCase())) headers.push(name, rawHeaders[index + 1] ?? '')
  }
  return headers
}
