/**
 * A project from nothing to a merged change: plain `fetch` and plain git, no library.
 *
 *   npm start                                  # in one terminal
 *   npm run example:change-request             # in another
 *
 * Set SVC_TOKEN to a token of yours. Without one the first-run link is used while nobody has used it (read from
 * `$SVC_DATA_DIR/first-run-link`).
 */

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const base = (process.env.SVC_URL ?? 'http://127.0.0.1:8008').replace(/\/+$/, '')
const dataDir = process.env.SVC_DATA_DIR ?? '.data'
const mark = Date.now().toString(36)

export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-example-'))
  try {
    await tour(folder)
  } catch (error) {
    console.log(`✗ ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export async function tour(folder: string): Promise<void> {
  const token = await signIn()
  const key = `example-${mark}`

  const project = await call(token, 'POST /v1/projects/provision', { name: `Example ${mark}`, idempotency_key: key })
  const projectId = text(project, 'project_id')
  say(`made the project ${text(project, 'name')} at ${text(project, 'git_origin_url')}`)

  const again = await call(token, 'POST /v1/projects/provision', { name: 'Anything', idempotency_key: key })
  say(`the same key again gives the same project: ${text(again, 'project_id') === projectId}`)

  const clone = join(folder, 'clone')
  await git(folder, 'clone', '-q', withPassword(text(project, 'git_origin_url'), text(project, 'push_token')), clone)
  await git(clone, 'config', 'user.name', 'Example')
  await git(clone, 'config', 'user.email', 'example@example.com')
  await git(clone, 'checkout', '-q', '-b', 'say-hello')
  await writeFile(join(clone, 'HELLO.md'), '# Hello\n\nWritten by an example.\n')
  await git(clone, 'add', 'HELLO.md')
  await git(clone, 'commit', '-q', '-m', 'Say hello')
  await git(clone, 'push', '-q', 'origin', 'say-hello')
  say('cloned with plain git, committed, pushed the branch say-hello')

  const at = `/v1/projects/${projectId}`
  const request = await call(token, `POST ${at}/change-requests`, { title: 'Say hello', head_ref: 'say-hello' })
  const path = `${at}/change-requests/${text(request, 'cr_id')}`
  say(`opened change request #${String(request.number)}`)

  const preview = await call(token, `GET ${path}/merge-preview`)
  say(`the preview says it can be merged: ${String(preview.can_merge)}`)
  const merged = await call(token, `POST ${path}/merge`, {
    expected_head_sha: preview.head_sha,
    expected_base_sha: preview.base_sha,
  })
  say(`merged: ${text(row(merged.merge), 'merge_commit_sha').slice(0, 12)} is on the default branch`)

  const history = await call(token, `GET ${at}/commits`)
  for (const commit of list(history.commits)) {
    say(`  ${text(commit, 'short_hash')} ${text(commit, 'subject')} (${text(commit, 'author_name')})`)
  }
  const file = await call(token, `GET ${at}/files/content?path=HELLO.md`)
  say(`and HELLO.md reads back as ${JSON.stringify(text(file, 'content').split('\n')[0])}`)
}

async function signIn(): Promise<string> {
  if (process.env.SVC_TOKEN) return process.env.SVC_TOKEN
  const link = await readFile(join(dataDir, 'first-run-link'), 'utf8').catch(() => undefined)
  if (link === undefined) throw new Error(`Set SVC_TOKEN: there is no unused first-run link in ${dataDir}.`)
  const email = process.env.SVC_OWNER_EMAIL ?? 'owner@example.com'
  const password = process.env.SVC_OWNER_PASSWORD ?? randomBytes(12).toString('base64url')
  const token = new URL(link.trim()).searchParams.get('token')
  const claimed = await call(undefined, 'POST /v1/auth/first-run', { token, email, password })
  say(`this instance now belongs to ${email}, password ${process.env.SVC_OWNER_PASSWORD ? 'as set' : password}`)
  return text(row(claimed.session), 'access_token')
}

type Row = Record<string, unknown>

async function call(token: string | undefined, route: string, body?: unknown): Promise<Row> {
  const [method = 'GET', path = ''] = route.split(' ')
  const response = await fetch(`${base}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer = row(await response.json())
  if (response.ok) return answer
  throw new Error(`${route} answered ${response.status}: ${String(answer.error)} ${String(answer.next ?? '')}`)
}

/** Runs git without the machine's own settings, so that the example does the same everywhere. */
async function git(cwd: string, ...args: string[]): Promise<void> {
  const env = { PATH: process.env.PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' }
  await promisify(execFile)('git', args, { cwd, env }).catch((error: { stderr?: string }) => {
    throw new Error(`git ${args[0]} failed: ${error.stderr ?? 'it could not be started'}`)
  })
}

function withPassword(address: string, token: string): string {
  const url = new URL(address)
  url.username = 'x-access-token'
  url.password = token
  return url.href
}

function say(what: string): void {
  console.log(`✓ ${what}`)
}

function row(value: unknown): Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

function list(value: unknown): Row[] {
  return Array.isArray(value) ? value.map(row) : []
}

function text(from: Row, name: string): string {
  const value = from[name]
  if (typeof value !== 'string') throw new Error(`The answer has no text \`${name}\`.`)
  return value
}
