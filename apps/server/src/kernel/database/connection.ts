import { StartError } from '../start-error.ts'

/** How to reach one database. `host` may be the folder of a unix socket. */
export interface Connection {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password?: string
  readonly database: string
  /** Passed through to the driver: `ssl`, ... */
  readonly parameters?: Readonly<Record<string, string>>
}

/** For libraries that want one string (graphile-worker by way of `pg`). */
export function connectionString(connection: Connection): string {
  const url = new URL('postgres://localhost')
  url.username = encodeURIComponent(connection.user)
  if (connection.password !== undefined) url.password = encodeURIComponent(connection.password)
  url.pathname = `/${encodeURIComponent(connection.database)}`
  for (const [name, value] of Object.entries(connection.parameters ?? {})) url.searchParams.set(name, value)
  url.port = String(connection.port)
  if (!connection.host.startsWith('/'))
    url.hostname = connection.host.includes(':') ? `[${connection.host}]` : connection.host
  if (connection.host.startsWith('/')) url.searchParams.set('host', connection.host)
  return url.href
}

export function parseConnectionString(text: string): Connection {
  const connection = tryConnectionString(text)
  if (connection) return connection
  throw new StartError(
    'DATABASE_URL is not the address of a PostgreSQL database.',
    'Write it as postgres://user:password@host:5432/database, or remove it to use the embedded database.',
  )
}

export function isConnectionString(text: string): boolean {
  return tryConnectionString(text) !== undefined
}

function tryConnectionString(text: string): Connection | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol)) return undefined
  try {
    return readUrl(url)
  } catch (error) {
    // A lone percent sign, which a person forgot to write as %25.
    if (error instanceof URIError) return undefined
    throw error
  }
}

function readUrl(url: URL): Connection {
  const { host, ...parameters } = Object.fromEntries(url.searchParams)
  const user = decodeURIComponent(url.username) || 'postgres'
  const hostname = url.hostname.replace(/^\[|\]$/g, '')
  return {
    host: host ?? (decodeURIComponent(hostname) || 'localhost'),
    port: Number(url.port) || 5432,
    user,
    ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
    database: decodeURIComponent(url.pathname.slice(1)) || user,
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
  }
}
