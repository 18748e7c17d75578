/**
 * The token of whoever is signed in. It lives in this module's memory only: the browser keeps an HttpOnly cookie that no
 * script can read, and the platform turns it into a token for minutes whenever one is needed.
 */
interface Access {
  readonly token: string
  readonly expiresAtMs: number
}

const earlyMs = 60_000
let access: Access | undefined
let asking: Promise<Access> | undefined

export async function getToken(): Promise<string> {
  if (access && access.expiresAtMs - earlyMs > Date.now()) return access.token
  asking ??= askForToken().finally(() => {
    asking = undefined
  })
  access = await asking
  return access.token
}

/** For after a refusal: the next call asks anew. */
export function forgetToken(): void {
  access = undefined
}

async function askForToken(): Promise<Access> {
  const response = await fetch('/session/access', { method: 'POST', headers: { 'x-svc-client': 'web' } })
  if (response.status === 401) return leaveForSignIn()
  if (!response.ok) throw new Error(`The platform answered ${response.status} when asked for a token.`)
  const { access_token, expires_at } = (await response.json()) as { access_token: string; expires_at: string }
  return { token: access_token, expiresAtMs: Date.parse(expires_at) }
}

/** Nobody is signed in any more: after signing in, people come back to where they were. */
function leaveForSignIn(): Promise<never> {
  const here = location.pathname + location.search
  location.assign(`/sign-in?next=${encodeURIComponent(here)}`)
  // The page is going away; whoever waits for a token waits with it.
  return new Promise(() => undefined)
}
