import { execFileSync } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runClient, tryClient } from '../../apps/server/src/git/testing/run-client.ts'
import type { Database } from '../../apps/server/src/kernel/database/index.ts'
import { createTestDatabase } from '../../apps/server/src/kernel/database/testing.ts'
import type { Reply } from '../../apps/server/src/projects/testing/project-world.ts'
import { createPerson, type Person } from '../support/people.ts'
import { buildPlatform, type RunningPlatform, runPlatform } from './platform-runner.ts'

/** Two servers, one database, one folder of repositories: nothing that either acknowledged is lost. */

const writers = 6

let script: string
let root: string
let database: Database
let person: Person
let servers: RunningPlatform[]
let projectId: string

const start = (index: number) =>
  runPlatform(script, {
    SVC_DATA_DIR: join(root, `server-${index}`),
    DATABASE_URL: database.connectionString,
  })

beforeAll(async () => {
  script = await buildPlatform()
  root = await mkdtemp(join(tmpdir(), 'svc-shared-'))
  database = await createTestDatabase()
  await mkdir(join(root, 'repositories'))
  for (const index of [0, 1]) {
    await mkdir(join(root, `server-${index}`))
    await symlink(join(root, 'repositories'), join(root, `server-${index}`, 'repositories'))
  }
  const first = await start(0)
  await copyFile(join(root, 'server-0', 'master-key'), join(root, 'server-1', 'master-key'))
  servers = [first, await start(1)]
  person = await createPerson({ database, dataDir: join(root, 'server-0') })
  projectId = (await call(0, 'POST', '/v1/projects/provision', { name: 'Shared', starter_template: 'minimal' })).body
    .project_id
}, 180_000)

afterAll(async () => {
  for (const server of servers ?? []) await server.stop()
  await database?.close()
  await rm(root, { recursive: true, force: true })
})

test('pushes through both at once are all there, and a contested branch is whoever was told so', {
  timeout: 120_000,
}, async () => {
  const pushes = await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const clone = join(root, `clone-${writer}`)
      await runClient(root, ['clone', '-q', remoteOf(writer % 2), clone])
      await commit(clone, `file-${writer}.txt`)
      const tip = await runClient(clone, ['rev-parse', 'HEAD'])
      const own = await tryClient(clone, ['push', '-q', 'origin', `HEAD:writer-${writer}`])
      const contested = await tryClient(clone, ['push', '-q', 'origin', 'HEAD:contested'])
      return { tip, own, contested: contested.code }
    }),
  )
  expect(pushes.map(({ own }) => own)).toEqual(pushes.map(() => ({ code: 0, stdout: '', stderr: '' })))
  for (const [writer, { tip }] of pushes.entries()) expect(tipOf(`writer-${writer}`)).toBe(tip)
  const winners = pushes.filter(({ contested }) => contested === 0)
  expect(winners.map(({ tip }) => tip)).toEqual([tipOf('contested')])
})

test('requests merged through both at once: every merge that was told is in the branch, once', {
  timeout: 120_000,
}, async () => {
  const requests = await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const input = { title: `Writer ${writer}`, head_ref: `writer-${writer}` }
      return (await call(writer % 2, 'POST', `/v1/projects/${projectId}/change-requests`, input)).body
    }),
  )
  const path = (request: { cr_id: string }) => `/v1/projects/${projectId}/change-requests/${request.cr_id}`
  const twice = requests.flatMap((request) => [0, 1].map((server) => ({ request, server })))
  const results = await Promise.all(
    twice.map(async ({ request, server }) => ({ request, ...(await call(server, 'POST', `${path(request)}/merge`)) })),
  )
  for (const { status, body } of results.filter(({ status }) => status !== 200)) {
    expect([status, ['change_request_not_open', 'merge_in_progress', 'stale_preview'].includes(body.code)]).toEqual([
      409,
      true,
    ])
  }
  for (const request of requests) {
    const told = results.filter((result) => result.request === request && result.status === 200)
    expect(told.length).toBeLessThanOrEqual(1)
    const { status } = (await call(1, 'GET', path(request))).body.change_request
    expect(status).toBe(isInMain(request.head_commit_sha) ? 'merged' : 'open')
    if (told.length === 1) expect(status).toBe('merged')
  }
})

test('edits of one manifest through both at once: every accepted one is there, the rest were told', {
  timeout: 120_000,
}, async () => {
  const flags = await Promise.all(
    Array.from({ length: writers }, (_, writer) =>
      call(writer % 2, 'PUT', `/v1/projects/${projectId}/agents/svc/scope`, { env: [`TOKEN_${writer}`] }),
    ),
  )
  expect(flags.every(({ status }) => status === 200 || status === 409)).toBe(true)
  const accepted = flags.filter(({ status }) => status === 200).length
  expect(accepted).toBeGreaterThan(0)
  const subjects = git('log', '--format=%s', 'main').split('\n')
  expect(subjects.filter((subject) => /scope|svc\.yaml|agent/i.test(subject)).length).toBe(accepted)
})

test('a server that starts leaves alone what the other is making', { timeout: 120_000 }, async () => {
  await servers[1]?.kill()
  const making = Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      call(0, 'POST', '/v1/projects/provision', { name: `P ${index}`, idempotency_key: `shared-${index}` }),
    ),
  )
  servers[1] = await start(1)
  const made = await making
  expect(made.map(({ status }) => status)).toEqual(made.map(() => 201))
  for (const { body } of made) expect((await call(1, 'GET', `/v1/projects/${body.project_id}/files`)).status).toBe(200)
  execFileSync('git', ['-C', repository(), 'fsck', '--full', '--strict'], { stdio: 'pipe' })
})

const repository = () => join(root, 'repositories', `${projectId}.git`)
const git = (...args: string[]) => execFileSync('git', ['-C', repository(), ...args], { encoding: 'utf8' }).trim()
const tipOf = (branch: string) => git('rev-parse', `refs/heads/${branch}`)
const isInMain = (sha: string) => git('branch', '--contains', sha, '--list', 'main') !== ''

async function commit(clone: string, file: string): Promise<void> {
  await writeFile(join(clone, file), `${file}\n`)
  await runClient(clone, ['add', file])
  await runClient(clone, ['commit', '-q', '-m', `Add ${file}`])
}

function remoteOf(server: number): string {
  const url = new URL(`${servers[server]?.url}/v1/git/${projectId}.git`)
  url.username = 'x-access-token'
  url.password = person.accessToken
  return url.href
}

async function call(
  server: number,
  method: string,
  path: string,
  body?: unknown,
): Promise<Pick<Reply, 'status' | 'body'>> {
  const response = await fetch(`${servers[server]?.url}${path}`, {
    method,
    headers: { authorization: person.headers.authorization, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}
