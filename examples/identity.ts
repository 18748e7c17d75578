/**
 * People, accounts and keys, from the first sign-in to a verified audit log. Plain `fetch`, no library:
 *
 *   npm start                                  # in one terminal
 *   npm run example:identity                   # in another
 *
 * Whoever runs the instance is needed once: either its first-run link is still unused (read from
 * `$SVC_DATA_DIR/first-run-link`), or SVC_OPERATOR_TOKEN holds a session token of the operator. Mail is read from the local
 * mailbox, so the instance must have no mail server.
 */

import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const base = (process.env.SVC_URL ?? 'http://127.0.0.1:8008').replace(/\/+$/, '')
const dataDir = process.env.SVC_DATA_DIR ?? '.data'
const mark = Date.now().toString(36)
const startedAt = performance.now()

export async function run(): Promise<void> {
  try {
    await tour()
  } catch {
    // The step that failed has said so.
    process.exitCode = 1
  }
}

export async function tour(): Promise<void> {
  const operator = await step('become the operator', becomeOperator)

  const team = await step('the operator creates an account', async () =>
    readText(await expectStatus(201, call(operator, 'POST /v1/accounts', { name: `Example ${mark}` })), 'account_id'),
  )
  const anna = await step('invite Anna, who is unknown so far', () => inviteAndJoin(operator, team, 'anna', 'admin'))
  const bob = await step('Anna, now an admin, invites Bob', () => inviteAndJoin(anna, team, 'bob', 'member'))
  await step('list the people', async () => {
    const { list } = await expectStatus(200, call(bob, `GET /v1/accounts/${team}/members`))
    return list.map((member) => `${readText(member, 'email')}: ${readText(member, 'account_role')}`).join(', ')
  })

  const key = await step('Bob mints a personal access token', async () => {
    const made = await expectStatus(201, call(bob, 'POST /v1/accounts/tokens', { name: 'laptop', account_id: team }))
    return { id: readText(made, 'token_id'), secret: readText(made, 'secret_key') }
  })
  const robot = await step('Anna makes a service account', async () => {
    const made = call(anna, `POST /v1/accounts/${team}/iam/service-accounts`, { name: `robot ${mark}` })
    return readText(await expectStatus(201, made), 'secret')
  })
  await step('mint a key for one project', () => mintProjectKey(anna, team))
  const app = await step('Anna lets a third-party app act for her', () => signInApp(anna, team))
  await step('each family says who it stands for', async () => {
    const seen: string[] = []
    for (const token of [bob, key.secret, robot, app].filter((token) => token !== undefined)) {
      const me = await expectStatus(200, call(token, 'GET /v1/accounts/me'))
      seen.push(`${familyOf(token)} ${readText(me.body.token_context, 'auth_type')}`)
    }
    return seen.join(', ')
  })

  await step('refused: a member invites', () =>
    expectStatus(403, call(bob, `POST /v1/accounts/${team}/members`, { email: `eve-${mark}@example.com` })),
  )
  await step('refused: a service account without a role', () => expectStatus(403, call(robot, 'GET /v1/accounts')))
  await step('refused: the key in an account that is not its own', () =>
    expectStatus(403, call(key.secret, 'GET /v1/accounts/0190a1b2-0000-7000-8000-000000000000')),
  )
  await step('refused: a token with a typing mistake', () =>
    expectStatus(401, call(`${key.secret.slice(0, -1)}${key.secret.endsWith('A') ? 'B' : 'A'}`, 'GET /v1/accounts/me')),
  )
  if (app !== undefined) {
    await step('refused: an app that mints keys', () =>
      expectStatus(403, call(app, 'POST /v1/accounts/tokens', { name: 'more', account_id: team })),
    )
  }
  await step('refused: the last owner leaves', () =>
    expectStatus(409, call(operator, `POST /v1/accounts/${team}/leave`)),
  )
  await step('Bob revokes his key, which is dead at once', async () => {
    await expectStatus(200, call(bob, `DELETE /v1/accounts/tokens/${key.id}?account_id=${team}`))
    await expectStatus(401, call(key.secret, 'GET /v1/accounts/me'))
  })

  await step('read the audit log', () => readAudit(anna, team))
  await step('export and verify the audit log', () => verifyAudit(anna, team))
  console.log(`done in ${Math.round(performance.now() - startedAt)} ms`)
}

async function becomeOperator(): Promise<string> {
  if (process.env.SVC_OPERATOR_TOKEN) return process.env.SVC_OPERATOR_TOKEN
  const link = await readFile(join(dataDir, 'first-run-link'), 'utf8').catch(() => undefined)
  if (link === undefined) {
    throw new Error(
      `There is no first-run link in ${dataDir}: this instance has an owner. Set SVC_OPERATOR_TOKEN to the access token of its operator’s sign-in session, or SVC_DATA_DIR to its data directory.`,
    )
  }
  const token = new URL(link.trim()).searchParams.get('token')
  const email = process.env.SVC_OWNER_EMAIL ?? 'owner@example.com'
  const password = process.env.SVC_OWNER_PASSWORD ?? randomBytes(12).toString('base64url')
  const claimed = await expectStatus(200, call(undefined, 'POST /v1/auth/first-run', { token, email, password }))
  console.log(
    `  this instance now belongs to ${email}, password ${process.env.SVC_OWNER_PASSWORD ? 'as set' : password}`,
  )
  return readText(claimed.body.session, 'access_token')
}

/**
 * Invites an address, signs up with the code mailed to it, and accepts; gives the new person's session. An invitation is
 * enough to sign up, so no setting of the instance is changed.
 */
async function inviteAndJoin(inviter: string, accountId: string, name: string, role: string): Promise<string> {
  const email = `${name}-${mark}@example.com`
  const invite = await expectStatus(201, call(inviter, `POST /v1/accounts/${accountId}/members`, { email, role }))
  await readMail(email, 'invited')
  await expectStatus(200, call(undefined, 'POST /v1/auth/sign-in/magic-link', { email }))
  const code = /\b\d{6}\b/.exec(await readMail(email, 'sign-in'))?.[0]
  const proof = { email, token: code, type: 'magiclink' }
  const signedIn = await expectStatus(200, call(undefined, 'POST /v1/auth/verify-otp', proof))
  const session = readText(signedIn.body.session, 'access_token')
  await expectStatus(200, call(session, `POST /v1/account-invites/${readText(invite, 'invite_id')}/accept`))
  return session
}

let operatorToken: string | undefined

/** The text of the newest mail to an address whose subject fits. Mail is sent by a job, so it takes a moment. */
async function readMail(email: string, subject: string): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    const { body } = await expectStatus(200, call(operatorToken, 'GET /v1/operator/mailbox'))
    if (body.enabled !== true) throw new Error('This instance sends its mail: run the example on one without SMTP.')
    const mail = asList(body.mails).find((row) => row.to === email && readText(row, 'subject').includes(subject))
    if (mail) return readText(mail, 'text')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`No mail with “${subject}” arrived for ${email}.`)
}

async function mintProjectKey(session: string, accountId: string): Promise<string> {
  const project = await call(session, 'POST /v1/projects/provision', { name: `example-${mark}`, account_id: accountId })
  if (project.status === 404 || project.status === 501) return skipped('this instance has no projects yet')
  await expectStatus(201, Promise.resolve(project))
  const projectId = readText(project, 'project_id')
  const input = { name: 'ci', account_id: accountId, project_id: projectId }
  const made = await expectStatus(201, call(session, 'POST /v1/accounts/tokens', input))
  await expectStatus(403, call(readText(made, 'secret_key'), 'GET /v1/accounts'))
  return 'works in its project and nowhere else'
}

/** Authorization code with PKCE, as a public app does it. */
async function signInApp(session: string, accountId: string): Promise<string | undefined> {
  const redirect = 'http://127.0.0.1:9/callback'
  const input = { name: `App ${mark}`, client_type: 'public', redirect_uris: [redirect] }
  const client = await call(session, `POST /v1/accounts/${accountId}/iam/oauth-clients`, input)
  if (client.status === 404) return undefined
  await expectStatus(201, Promise.resolve(client))
  const clientId = readText(client, 'client_id')
  const verifier = randomBytes(48).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirect,
    response_type: 'code',
    scope: 'profile email svc',
    state: 'x',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  const asked = await expectStatus(302, call(undefined, `GET /v1/oauth/authorize?${query}`))
  const requestId = new URL(asked.headers.get('location') ?? '', base).searchParams.get('request_id')
  const consent = { request_id: requestId, approved: true }
  const agreed = await expectStatus(200, call(session, 'POST /v1/oauth/authorize/consent', consent))
  const code = new URL(readText(agreed, 'redirect_uri')).searchParams.get('code') ?? ''
  const grant = { grant_type: 'authorization_code', code, redirect_uri: redirect, code_verifier: verifier }
  const form = new URLSearchParams({ ...grant, client_id: clientId })
  return readText(await expectStatus(200, call(undefined, 'POST /v1/oauth/token', form)), 'access_token')
}

async function readAudit(session: string, accountId: string): Promise<string> {
  const log = await call(session, `GET /v1/accounts/${accountId}/audit?limit=200`)
  if (log.status === 404) return skipped('this instance has no audit routes yet')
  await expectStatus(200, Promise.resolve(log))
  const actions = asList(log.body.events).map((event) => readText(event, 'action'))
  const named = actions.filter((action) => !action.includes(' '))
  return `${actions.length} events, among them ${[...new Set(named)].slice(0, 5).join(', ')}`
}

async function verifyAudit(session: string, accountId: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-audit-'))
  try {
    const files: string[] = []
    for (let cursor = ''; ; ) {
      const query = `format=jsonl${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
      const page = await call(session, `GET /v1/accounts/${accountId}/audit/export?${query}`)
      if (page.status === 404) return skipped('this instance has no audit routes yet')
      await expectStatus(200, Promise.resolve(page))
      const file = join(folder, `page-${files.length}.jsonl`)
      await writeFile(file, page.text)
      files.push(file)
      cursor = page.headers.get('x-audit-next-cursor') ?? ''
      if (page.headers.get('x-audit-complete') !== 'false' || cursor === '') break
    }
    const verified = spawnSync(process.execPath, ['scripts/audit-verify.mjs', ...files], { encoding: 'utf8' })
    if (verified.status !== 0) throw new Error(`The verifier refuses the export: ${verified.stdout}${verified.stderr}`)
    return verified.stdout.trim().split('\n')[0] ?? 'verified'
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

// What it takes to call the API and to show what happens.

type Row = Record<string, unknown>

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The answer as an object, or as a list; empty when it is neither. */
  readonly body: Row
  readonly list: readonly Row[]
}

async function call(token: string | undefined, route: string, body?: unknown): Promise<Answer> {
  const [method = 'GET', path = ''] = route.split(' ')
  const isForm = body instanceof URLSearchParams
  const response = await fetch(`${base}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('application/json') === true
  const parsed: unknown = isJson ? JSON.parse(text) : undefined
  const { status, headers } = response
  return { status, headers, text, body: asRow(parsed), list: asList(parsed) }
}

async function expectStatus(status: number, pending: Promise<Answer>): Promise<Answer> {
  const answer = await pending
  if (answer.status === status) return answer
  throw new Error(`Expected ${status}, got ${answer.status}: ${answer.text.slice(0, 500)}`)
}

/** Runs one step, and prints what came of it and how long it took. */
async function step<T>(title: string, run: () => Promise<T>): Promise<T> {
  const from = performance.now()
  try {
    const result = await run()
    if (title === 'become the operator' && typeof result === 'string') operatorToken = result
    console.log(`✓ ${title}${show(result)} (${Math.round(performance.now() - from)} ms)`)
    return result
  } catch (error) {
    console.log(`✗ ${title}: ${error instanceof Error ? error.message : String(error)}`)
    throw error
  }
}

/** Never a credential: only sentences and refusals are shown. */
function show(result: unknown): string {
  if (typeof result === 'string') return /\s/.test(result) ? `: ${result}` : ''
  if (typeof result === 'object' && result !== null && 'status' in result && 'body' in result) {
    const { code, error } = asRow(result.body)
    return `: ${String(result.status)} ${String(code ?? error)}`
  }
  return ''
}

const skipped = (why: string) => `skipped, ${why}`
const familyOf = (token: string) => /^svc_[a-z]+_/.exec(token)?.[0] ?? 'session'

function asRow(value: unknown): Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

function asList(value: unknown): Row[] {
  return Array.isArray(value) ? value.map(asRow) : []
}

function readText(from: unknown, name: string): string {
  const source = asRow(from)
  const row = 'body' in source && 'status' in source ? asRow(source.body) : source
  const value = row[name]
  if (typeof value !== 'string') throw new Error(`The answer has no text \`${name}\`.`)
  return value
}
