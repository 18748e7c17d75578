/** Names and values in turn, as they stood on the wire: repeated ones stay repeated. */
export type RawHeaders = readonly string[]

/** They belong to one connection, not to the message. */
const connectionHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
  'expect',
])

/** What remains for the next hop. `Transfer-Encoding` stays, since it says that there is a body of unknown length. */
export function forwardHeaders(headers: RawHeaders, drop: (name: string) => boolean = () => false): string[] {
  const named = new Set(
    valuesOf(headers, 'connection')
      .flatMap((value) => value.split(','))
      .map((name) => name.trim().toLowerCase()),
  )
  // A body whose framing the sender could take away would be read as the next request.
  named.delete('transfer-encoding')
  named.delete('content-length')
  named.delete('host')
  return filterHeaders(headers, (name) => !connectionHeaders.has(name) && !named.has(name) && !drop(name))
}

export function filterHeaders(headers: RawHeaders, keep: (name: string) => boolean): string[] {
  const kept: string[] = []
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2)
    if (keep(name.toLowerCase())) kept.push(name, value)
  }
  return kept
}

export function valuesOf(headers: RawHeaders, wanted: string): string[] {
  return headers.filter((_, at) => at % 2 === 1 && headers[at - 1]?.toLowerCase() === wanted)
}
