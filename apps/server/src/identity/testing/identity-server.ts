import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

export interface IdentityServer {
  readonly url: string
  readonly clientSecret: string
  /** Follows an authorization address through sign-in and consent; gives the address the browser returns to. */
  signIn(authorizationUrl: string, person: { sub: string; [claim: string]: unknown }): Promise<string>
  stop(): Promise<void>
}

/** A certified OpenID Connect provider with one client and whoever the test says signs in. */
export async function startIdentityServer(callbackUrl: string): Promise<IdentityServer> {
  const people = new Map<string, Record<string, unknown>>()
  const clientSecret = randomBytes(16).toString('hex')
  let answer: ReturnType<Provider['callback']> | undefined
  const server = createServer((request, response) => answer?.(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  answer = new Provider(url, {
    clients: [{ client_id: 'svc', client_secret: clientSecret, redirect_uris: [callbackUrl] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    pkce: { required: () => true },
    findAccount: async (_context, id) => ({ accountId: id, claims: async () => ({ sub: id, ...people.get(id) }) }),
  }).callback()

  return {
    url,
    clientSecret,
    async signIn(authorizationUrl, person) {
      people.set(person.sub, person)
      return browse(authorizationUrl, callbackUrl, person.sub)
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Follows redirects with cookies, and sends the two forms the provider shows: sign-in and consent. */
async function browse(start: string, until: string, login: string): Promise<string> {
  const cookies = new Map<string, string>()
  let url = start
  let form: URLSearchParams | undefined
  for (let step = 0; step < 20; step++) {
    if (url.startsWith(until)) return url
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form ? { method: 'POST', body: form } : {}),
    })
    form = undefined
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s)
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    const page = await response.text()
    if (location !== null) {
      url = new URL(location, url).href
      continue
    }
    const prompt = /name="prompt" value="(login|consent)"/.exec(page)?.[1]
    if (prompt === undefined) throw new Error(`the provider showed no form (${response.status}): ${page.slice(0, 500)}`)
    form = new URLSearchParams(prompt === 'login' ? { prompt, login, password: 'x' } : { prompt })
  }
  throw new Error('the provider redirects without end')
}
