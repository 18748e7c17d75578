import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface FakeGithub {
  readonly url: string
  person: { id: number; email: string; verified: boolean }
  /** Follows an authorization address as a browser of a signed-in person would; gives the address it returns to. */
  signIn(authorizationUrl: string): Promise<string>
  stop(): Promise<void>
}

/** Speaks the part of GitHub's OAuth and API that sign-in uses, and checks what it is sent. */
export async function startGithub(): Promise<FakeGithub> {
  const codes = new Map<string, { challenge: string; redirectUri: string }>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const form = new URLSearchParams(Buffer.concat(chunks).toString())
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    if (pathname === '/login/oauth/access_token') {
      const code = codes.get(form.get('code') ?? '')
      codes.delete(form.get('code') ?? '')
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url')
      const isRight =
        code?.challenge === challenge &&
        code.redirectUri === form.get('redirect_uri') &&
        form.get('client_secret') === 'github-secret'
      return answer(
        200,
        isRight ? { access_token: 'gho_test', token_type: 'bearer' } : { error: 'bad_verification_code' },
      )
    }
    if (request.headers.authorization !== 'Bearer gho_test') return answer(401, { message: 'Bad credentials' })
    const { id, email, verified } = github.person
    if (pathname === '/api/v3/user') return answer(200, { id, name: 'Octo', login: 'octo' })
    if (pathname === '/api/v3/user/emails') return answer(200, [{ email, primary: true, verified, visibility: null }])
    answer(404, { message: 'Not Found' })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const github: FakeGithub = {
    url: `http://127.0.0.1:${port}`,
    person: { id: 1, email: 'octo@example.com', verified: true },
    async signIn(authorizationUrl) {
      const { searchParams } = new URL(authorizationUrl)
      const code = `code-${codes.size}-${Date.now()}`
      const redirectUri = searchParams.get('redirect_uri') ?? ''
      codes.set(code, { challenge: searchParams.get('code_challenge') ?? '', redirectUri })
      const returned = new URL(redirectUri)
      returned.searchParams.set('code', code)
      returned.searchParams.set('state', searchParams.get('state') ?? '')
      return returned.href
    },
    async stop() {
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return github
}
