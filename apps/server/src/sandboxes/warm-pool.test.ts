import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { newId } from '../kernel/ids/index.ts'
import { emptyBoot, startSandboxWorld } from './testing/sandbox-world.ts'

const run = promisify(execFile)
const world = await startSandboxWorld({ SVC_WARM_SANDBOXES: '2' })
const scratch = await mkdtemp(join(tmpdir(), 'svc-warm-'))
afterAll(async () => {
  await world.close()
  await rm(scratch, { recursive: true, force: true })
})
const { sandboxes, database, projectId, accountId } = world

const listWarm = async () => [
  ...(await database.sql<{ externalId: string }[]>`
    select external_id as "externalId" from svc.sandboxes where project_id is null and status = 'active'`),
]
const untilFull = () => expect.poll(listWarm, { timeout: 30_000, interval: 50 }).toHaveLength(2)

describe.runIf(process.platform === 'linux')('the warm pool', () => {
  test('a claimed machine is the session’s, with its workspace, and another takes its place', async () => {
    await untilFull()
    const waiting = (await listWarm()).map(({ externalId }) => externalId)
    await run('git', ['init', '-q', '-b', 'main', join(scratch, 'work')])
    await writeFile(join(scratch, 'work', 'a.txt'), 'from the checkout\n')
    const git = (...args: string[]) =>
      run('git', ['-C', join(scratch, 'work'), '-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args])
    await git('add', '.')
    await git('commit', '-qm', 'first')
    const commit = (await git('rev-parse', 'HEAD')).stdout.trim()
    const workspace = { repositoryPath: join(scratch, 'work', '.git'), commit, branch: 'session' }

    const sandboxId = newId()
    const made = await sandboxes.createMachine({ sandboxId, projectId, accountId, workspace })
    expect(waiting).toContain(made.externalId)
    expect(made).toMatchObject({ sandboxId, projectId, status: 'provisioning' })
    const started = await sandboxes.startMachine(sandboxId, { ...emptyBoot, env: { GREETING: 'hello' } })
    expect(started).toMatchObject({ status: 'active', externalId: made.externalId })
    const argv = ['sh', '-c', 'echo $GREETING; cat a.txt; git status --porcelain --branch; ls /run/svc /run/svc-host']
    const body = JSON.stringify({ argv })
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const answer = await sandboxes.request(made.externalId, { method: 'POST', path: '/svc/exec', headers, body })
    const { stdout } = (await json(answer.body)) as { stdout: string }
    expect(stdout).toMatch(/^hello\nfrom the checkout\n## session\n/)
    expect(stdout).toMatch('egress.sock')
    expect(stdout).not.toMatch('boot')
    await untilFull()
    expect((await listWarm()).map(({ externalId }) => externalId)).not.toContain(made.externalId)
    await sandboxes.destroyMachine(sandboxId)
  })

  test('claims at the same time get different machines, and those that find none are made', async () => {
    await untilFull()
    const rows = await Promise.all(
      Array.from({ length: 4 }, () => sandboxes.createMachine({ sandboxId: newId(), projectId, accountId })),
    )
    expect(new Set(rows.map(({ externalId }) => externalId)).size).toBe(4)
    for (const { sandboxId } of rows) expect((await sandboxes.startMachine(sandboxId, emptyBoot)).status).toBe('active')
    for (const { sandboxId } of rows) await sandboxes.destroyMachine(sandboxId)
  }, 60_000)

  test('other resources than the usual ones are made to measure', async () => {
    await untilFull()
    const before = (await listWarm()).map(({ externalId }) => externalId)
    const { externalId, sandboxId } = await world.createMachine()
    expect(before).not.toContain(externalId)
    await sandboxes.destroyMachine(sandboxId)
  })
})
