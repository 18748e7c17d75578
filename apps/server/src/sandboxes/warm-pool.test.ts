import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { newId } from '../kernel/ids/index.ts'
import { listOfMachine, signal } from './local/processes.ts'
import { emptyBoot, startSandboxWorld } from './testing/sandbox-world.ts'
import { smallRuntime, smallWarmRuntime } from './testing/small-runtime.ts'

const run = promisify(execFile)
const world = await startSandboxWorld({ SVC_WARM_SANDBOXES: '2' }, { warmRuntime: smallWarmRuntime })
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
/** Of one waiting machine. */
async function listRuntimes(externalId: string): Promise<number[]> {
  const pids = await listOfMachine(join(world.dataDir, 'sandboxes', 'machines', externalId, 'run'))
  const programs = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return pids.filter((_, index) => programs[index]?.includes('small-runtime'))
}
const untilFull = () => expect.poll(listWarm).toHaveLength(2)

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
  })

  const claim = async (boot: Partial<typeof emptyBoot> & { env?: Record<string, string> }) => {
    await expect.poll(listWarm).not.toHaveLength(0)
    const sandboxId = newId()
    const { externalId } = await sandboxes.createMachine({ sandboxId, projectId, accountId })
    await sandboxes.startMachine(sandboxId, { ...emptyBoot, ...smallRuntime, runtime: smallRuntime.process, ...boot })
    const ask = async (path: string) =>
      json((await sandboxes.request(externalId, { method: 'GET', path, context })).body)
    const health = () => ask('/svc/health') as Promise<Record<string, unknown>>
    return { sandboxId, ask, health }
  }
  const context = { userId: 'platform', role: 'platform_admin', scopes: [] } as const
  type Told = { pid: number; env: Record<string, string> }

  test('the runtime that waited is the session’s: it has its environment, and shells have its secrets', async () => {
    // Some of these end a line for some programs.
    const hush = 'h\u2028u\u2029s\rh\n'
    const { sandboxId, ask, health } = await claim({
      env: { SVC_TOKEN: 'a token', A_SECRET: hush, SVC_PROJECT_SECRET_NAMES: 'A_SECRET' },
    })
    await expect.poll(health).toMatchObject({ opencode: 'ok' })
    const { pid, env } = (await ask('/')) as Told
    expect(env).toMatchObject({ WAITED: 'yes', SVC_TOKEN: 'a token', A_SECRET: hush, HOME: '/home/agent' })
    expect(await health()).toMatchObject({ opencode_pid: pid })
    expect(JSON.stringify(env)).not.toContain('SVC_OWNER_FD')
    await sandboxes.destroyMachine(sandboxId)
  })

  test('a session that needs a runtime of its own gets one, and the one that waited is gone', async () => {
    const { settle: _, ...own } = smallRuntime.process
    const { sandboxId, ask, health } = await claim({ runtime: own, env: { SVC_TOKEN: 'a token' } })
    await expect.poll(health).toMatchObject({ opencode: 'ok' })
    const { env } = (await ask('/')) as Told
    expect(env).toMatchObject({ SVC_TOKEN: 'a token' })
    expect(env).not.toHaveProperty('WAITED')
    await sandboxes.destroyMachine(sandboxId)
  })

  test('a waiting runtime that does not take its session over is replaced by a new one', async () => {
    const { sandboxId, ask, health } = await claim({ env: { REFUSES_SESSIONS: 'yes', SVC_TOKEN: 'a token' } })
    await expect.poll(health).toMatchObject({ opencode: 'ok' })
    expect(((await ask('/')) as Told).env).not.toHaveProperty('WAITED')
    await sandboxes.destroyMachine(sandboxId)
  })

  test('a machine that ends just when its session takes it is started anew, for the same session', async () => {
    await expect.poll(listWarm).not.toHaveLength(0)
    const sandboxId = newId()
    const { externalId } = await sandboxes.createMachine({ sandboxId, projectId, accountId })
    const started = sandboxes.startMachine(sandboxId, { ...emptyBoot, ...smallRuntime, runtime: smallRuntime.process })
    const run = join(world.dataDir, 'sandboxes', 'machines', externalId, 'run')
    // Ending one of them may end the rest before their turn comes.
    for (const pid of await listOfMachine(run)) signal(pid, 'SIGKILL')
    expect(await started).toMatchObject({ externalId, status: 'active' })
    const health = { method: 'GET', path: '/svc/health' }
    expect((await sandboxes.request(externalId, health)).status).toBe(200)
    await sandboxes.destroyMachine(sandboxId)
  })

  test('a machine whose runtime ends while it waits is removed, and another takes its place', async () => {
    await untilFull()
    const waiting = (await listWarm()).map(({ externalId }) => externalId)
    const { provider, externalId } = { provider: sandboxes.requireProvider('local'), externalId: waiting[0] ?? '' }
    await expect.poll(() => listRuntimes(externalId)).not.toHaveLength(0)
    for (const runtime of await listRuntimes(externalId)) signal(runtime, 'SIGKILL')
    const listed = async () => (await provider.list()).map((one) => one.externalId)
    await expect.poll(listed).not.toContain(externalId)
    await untilFull()
    expect((await listWarm()).map((one) => one.externalId)).toContain(waiting[1])
  })

  test('other resources than the usual ones are made to measure', async () => {
    await untilFull()
    const before = (await listWarm()).map(({ externalId }) => externalId)
    const { externalId, sandboxId } = await world.createMachine()
    expect(before).not.toContain(externalId)
    await sandboxes.destroyMachine(sandboxId)
  })
})
