import { problem } from '../../kernel/http/index.ts'
import type { InstanceSettings } from './settings.ts'

/** Pages of this instance that an app's own sign-in may end at. Not every path: what sandboxes serve is here too. */
const ownPaths = ['/', '/auth/callback']

export interface RedirectRules {
  /** Where this instance is opened. */
  readonly publicUrl: string
  /** Addresses the operator allows by configuration. */
  readonly configured: readonly string[]
  readonly settings: Pick<InstanceSettings, 'redirectAllowList'>
}

/**
 * The address to return to, or a refusal: it must stand on the allow-list as it is. Scheme, host, port, path and query
 * are compared whole; nothing matches by prefix or pattern.
 */
export function requireRedirect(given: string, rules: RedirectRules): string {
  const url = parseHttpUrl(given)
  if (!url) throw refuse('redirect_to must be an absolute http or https URL.')
  if (url.username !== '' || url.password !== '') throw refuse('redirect_to must not hold a user name or password.')
  if (given.includes('#')) throw refuse('redirect_to must not have a fragment.')
  const own = ownPaths.map((path) => new URL(path, rules.publicUrl).href)
  const allowed = [...own, ...rules.configured, ...rules.settings.redirectAllowList]
  if (allowed.some((entry) => parseHttpUrl(entry)?.href === url.href)) return url.href
  throw refuse('redirect_to is not on the allow-list of this instance.')
}

/** Where a redirect is optional, one that is no http(s) address is ignored. */
export function checkRedirect(given: string | undefined, rules: RedirectRules): string | undefined {
  if (given === undefined || !parseHttpUrl(given)) return undefined
  return requireRedirect(given, rules)
}

/** The given text must be a URL as it stands: what a parser would quietly repair is refused. */
function parseHttpUrl(given: string): URL | undefined {
  if (!/^https?:\/\/[^\s\\]+$/i.test(given) || hasControlCharacter(given) || !URL.canParse(given)) return undefined
  const url = new URL(given)
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined
}

function hasControlCharacter(text: string): boolean {
  return Array.from(text).some((character) => character <= ' ' || character === '\u007f')
}

function refuse(say: string) {
  return problem('invalid_request', { say, next: 'Ask the operator to add the address to the redirect allow-list.' })
}
