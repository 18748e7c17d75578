import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { layoutOf } from '../../apps/server/src/sandboxes/local/layout.ts'
import { listOfUser, listPids } from '../../apps/server/src/sandboxes/local/processes.ts'
import { type FaultRig, listMachineProcesses, until } from './sessions-rig.ts'

const aMinuteMs = 60_000
const run = promisify(execFile)

interface MachineFacts {
  readonly externalId: string
  readonly hostUid: number | null
  readonly sessionStatus: string
}

const readMachines = (rig: FaultRig) =>
  rig.query(
    (sql) => sql<MachineFacts[]>`
      select machine.external_id as "externalId", machine.host_uid as "hostUid", session.status as "sessionStatus"
      from svc.sandboxes machine join svc.sessions session on session.session_id = machine.sandbox_id`,
  )

/** Within a minute, processes are only in machines of sessions that run or are about to. */
export async function checkNothingStray(rig: FaultRig): Promise<void> {
  let stray: unknown[] = []
  await until('no stray process', aMinuteMs, async () => {
    const machines = await readMachines(rig)
    const alive = new Set(
      machines
        .filter(({ sessionStatus }) => /running|provisioning/.test(sessionStatus))
        .map(({ externalId }) => externalId),
    )
    stray = [...(await listMachineProcesses(rig.path))].filter(([, externalId]) => !alive.has(externalId))
    return stray.length === 0
  }).catch((error) => {
    throw new Error(`${error.message}: ${JSON.stringify(stray)}`)
  })
}

/** Within a minute after everything was deleted: no process, user, mount, loop device, group, folder, odd branch. */
export async function checkNothingLeft(rig: FaultRig, projectId: string): Promise<void> {
  const machines = await readMachines(rig)
  let left: unknown[] = []
  await until('nothing left', aMinuteMs, async () => {
    left = (
      await Promise.all([
        listMachineProcesses(rig.path).then((found) => [...found.keys()].map((pid) => `process ${pid}`)),
        listLaunchers(rig.path),
        listHeldUsers(rig),
        listMounts(rig.path),
        listGroups(machines),
        readdir(layoutOf(rig.path).machines),
        listOddBranches(rig, projectId),
      ])
    ).flat()
    return left.length === 0
  }).catch((error) => {
    throw new Error(`${error.message}: ${JSON.stringify(left)}`)
  })
}

/** What started machines from outside: bubblewrap and the shells before it. */
async function listLaunchers(path: string): Promise<string[]> {
  const found: string[] = []
  for (const pid of await listPids()) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (command.includes(layoutOf(path).machines)) found.push(`launcher ${pid}`)
  }
  return found
}

/** Users of machines that are gone: none is taken, and none runs anything. */
async function listHeldUsers(rig: FaultRig): Promise<string[]> {
  const rows = await rig.query(
    (sql) => sql<{ uid: number }[]>`select host_uid as uid from svc.sandboxes where host_uid is not null`,
  )
  const found: string[] = []
  for (const { uid } of rows) found.push(`user ${uid}, processes ${await listOfUser(uid)}`)
  return found
}

async function listMounts(path: string): Promise<string[]> {
  const found: string[] = []
  for (const pid of ['self', ...(await listPids())]) {
    const mounts = await readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => '')
    const held = mounts.split('\n').filter((line) => line.includes(join(path, 'sandboxes')))
    found.push(...held.map((line) => `mount of ${pid}: ${line}`))
  }
  const loops = await run('losetup', ['-a']).catch(() => ({ stdout: '' }))
  return [...found, ...loops.stdout.split('\n').filter((line) => line.includes(path))]
}

async function listGroups(machines: readonly MachineFacts[]): Promise<string[]> {
  const ids = new Set(machines.map(({ externalId }) => externalId))
  const folders = await run('find', ['/sys/fs/cgroup', '-maxdepth', '8', '-type', 'd', '-name', 'sb*']).catch(() => ({
    stdout: '',
  }))
  return folders.stdout.split('\n').filter((folder) => ids.has(basename(folder)))
}

/** Branches outlive their sessions; one that never had a session is nobody's. */
async function listOddBranches(rig: FaultRig, projectId: string): Promise<string[]> {
  const { branches } = (await rig.call(`GET /v1/projects/${projectId}/branches`)) as { branches: { name: string }[] }
  const known = await rig.query((sql) => sql<{ id: string }[]>`select session_id as id from svc.sessions`)
  const names = new Set(['main', ...known.map(({ id }) => id)])
  return branches.map(({ name }) => name).filter((name) => !names.has(name))
}
