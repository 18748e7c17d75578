import { GitError } from './git-error.ts'

export interface RemoteUrl {
  readonly protocol: 'https' | 'ssh'
  readonly host: string
  readonly port: number
  readonly user: string | null
  readonly path: string
  /** The form handed to git. Holds no secret. */
  readonly url: string
}

const hostName = /^(?:[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?)*$/i
const userName = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/
const plainPath = /^[A-Za-z0-9._~/%+@,=:-]+$/

/**
 * The address of a repository on another host: `https://host/path`, `ssh://user@host/path` or `user@host:path`.
 * Everything else git would understand (local files, commands, plain git and http) is refused, and so are secrets in
 * the address. Whether the host may be dialled is for the proxy to decide.
 */
export function checkRemoteUrl(text: string): RemoteUrl {
  if (text.length > 2000 || /[\p{Cc}\s\\]/u.test(text)) throw invalid('it holds characters that no address has')
  if (/^[a-z0-9+.-]+::/i.test(text)) throw invalid('remote helpers are not allowed')
  const scp = /^(?:([^@/:]+)@)?([^@/:]+):(?!\/\/)(.+)$/.exec(text)
  if (scp && !text.includes('://')) return build('ssh', scp[2] ?? '', 22, scp[1] ?? null, `/${scp[3] ?? ''}`, text)
  if (!/^(?:https|ssh):\/\//i.test(text)) throw invalid('only https and ssh are allowed')
  const url = parseUrl(text)
  if (url.password !== '') throw invalid('it holds a password; store it as the git credential instead')
  if (url.search !== '' || url.hash !== '') throw invalid('it has a query or fragment')
  if (url.protocol === 'https:') {
    if (url.username !== '') throw invalid('it holds a user name; store it with the git credential instead')
    return build('https', url.hostname, Number(url.port || 443), null, url.pathname, url.href)
  }
  const user = url.username === '' ? null : decodeURIComponent(url.username)
  return build('ssh', url.hostname, Number(url.port || 22), user, url.pathname, url.href)
}

function build(
  protocol: 'https' | 'ssh',
  rawHost: string,
  port: number,
  user: string | null,
  path: string,
  url: string,
): RemoteUrl {
  const host = rawHost.replace(/^\[|\]$/g, '')
  if (!hostName.test(host) && !/^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(host)) throw invalid('the host name is not valid')
  if (user !== null && !userName.test(user)) throw invalid('the user name is not valid')
  if (path === '/' || path.startsWith('/-') || !plainPath.test(path)) throw invalid('the path is not valid')
  return { protocol, host: host.toLowerCase(), port, user, path, url }
}

function parseUrl(text: string): URL {
  try {
    return new URL(text)
  } catch (cause) {
    throw invalid('it cannot be read', cause)
  }
}

function invalid(why: string, cause?: unknown): GitError {
  return new GitError(
    'invalid_url',
    `This is no usable repository address: ${why}. Use https://host/path or ssh://user@host/path.`,
    { cause },
  )
}
