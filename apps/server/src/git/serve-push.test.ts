import { randomBytes } from 'node:crypto'
import { readFile as readDiskFile, readdir, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { signal } from '../kernel/database/embedded/leftovers.ts'
import { answerHooks } from './answer-hooks.ts'
import {
  checkRepository,
  listCommits,
  type RefUpdate,
  type Repository,
  readBranch,
  readFile,
  removeLeftovers,
  updateRefs,
} from './index.ts'
import { makeRepository } from './testing/make-repository.ts'
import { runClient, tryClient } from './testing/run-client.ts'
import { type GitServer, startGitServer } from './testing/start-git-server.ts'

const isLong = process.env.SVC_TEST_LONG === '1'
if (isLong) vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 })

let repository: Repository
let scratch: string
let clone: string
let server: GitServer

beforeEach(async () => {
  const made = await makeRepository()
  repository = made.repository
  scratch = made.scratch
  server = await startGitServer(repository)
  await runClient(scratch, ['clone', '-q', server.url, 'clone'])
  clone = join(scratch, 'clone')
})

afterEach(() => server.close())

describe('pushing', () => {
  test('a push moves the branch, and the server learns which refs moved', async () => {
    const old = await readBranch(repository, 'main')
    const seen: (readonly RefUpdate[])[] = []
    server.receive = {
      onApplied: async (applied) => {
        seen.push(applied)
      },
    }
    const tip = await commit('a.txt', 'one')
    await runClient(clone, ['push', '-q', 'origin', 'main'])
    expect(await readBranch(repository, 'main')).toBe(tip)
    expect((await readFile(repository, { ref: 'main', path: 'a.txt' })).text).toBe('one')
    const update = {
      ref: 'refs/heads/main',
      oldSha: old,
      newSha: tip,
      isCreate: false,
      isDelete: false,
      isForce: false,
    }
    expect(seen).toEqual([[update]])
    await until(() => server.pushes.length > 0)
    expect(server.pushes.at(-1)?.applied).toEqual([update])
  })

  test('a force push and a delete are named as such before they happen', async () => {
    const seen: RefUpdate[] = []
    server.receive = {
      authorizeUpdates: async (updates) => {
        seen.push(...updates)
        return undefined
      },
    }
    await commit('a.txt', 'one')
    await runClient(clone, ['push', '-q', 'origin', 'main:work'])
    await runClient(clone, ['commit', '-q', '--amend', '-m', 'again'])
    expect((await tryClient(clone, ['push', '-q', 'origin', 'main:work'])).code).not.toBe(0)
    await runClient(clone, ['push', '-q', '--force', 'origin', 'main:work'])
    await runClient(clone, ['push', '-q', 'origin', ':work'])
    expect(seen.map(({ isCreate, isForce, isDelete }) => ({ isCreate, isForce, isDelete }))).toEqual([
      { isCreate: true, isForce: false, isDelete: false },
      { isCreate: false, isForce: true, isDelete: false },
      { isCreate: false, isForce: false, isDelete: true },
    ])
    expect(await readBranch(repository, 'work')).toBeNull()
  })

  test('a refused ref stays, its sentence reaches the client, and the other ref moves', async () => {
    server.receive = {
      authorizeUpdates: async () => ({
        refs: { 'refs/heads/main': 'main changes through a change request. Push to your own branch.' },
      }),
    }
    const old = await readBranch(repository, 'main')
    const tip = await commit('a.txt', 'one')
    const { code, stderr } = await tryClient(clone, ['push', 'origin', 'main', 'main:mine'])
    expect(code).not.toBe(0)
    expect(stderr).toContain('remote: main changes through a change request. Push to your own branch.')
    expect(await readBranch(repository, 'main')).toBe(old)
    expect(await readBranch(repository, 'mine')).toBe(tip)
    await until(() => server.pushes.length > 0)
    expect(server.pushes.at(-1)?.applied.map(({ ref }) => ref)).toEqual(['refs/heads/mine'])
  })

  test('an atomic push with one refused ref moves none', async () => {
    server.receive = { authorizeUpdates: async () => ({ refs: { 'refs/heads/main': 'Not main.' } }) }
    const old = await readBranch(repository, 'main')
    await commit('a.txt', 'one')
    expect((await tryClient(clone, ['push', '--atomic', 'origin', 'main', 'main:mine'])).code).not.toBe(0)
    expect([await readBranch(repository, 'main'), await readBranch(repository, 'mine')]).toEqual([old, null])
  })

  test('the policy reads the pushed commit before it is accepted, and a refused push leaves no object', async () => {
    const texts: (string | null)[] = []
    server.receive = {
      authorizeUpdates: async (updates, context) => {
        const file = await readFile(context.repository, { ref: updates[0]?.newSha ?? '', path: 'svc.yaml' })
        texts.push(file.text)
        return { all: 'svc.yaml line 1: version is missing.' }
      },
    }
    const tip = await commit('svc.yaml', 'nope: 1\n')
    const { code, stderr } = await tryClient(clone, ['push', 'origin', 'main'])
    expect(code).not.toBe(0)
    expect(stderr).toContain('remote: svc.yaml line 1: version is missing.')
    expect(texts).toEqual(['nope: 1\n'])
    await expect(listCommits(repository, { ref: tip })).rejects.toMatchObject({ code: 'ref_not_found' })
    expect(await quarantines()).toEqual([])
  })

  test('a policy that fails refuses the push without saying why it failed', async () => {
    const told: unknown[] = []
    const failure = new Error('password of the database')
    server.receive = { authorizeUpdates: () => Promise.reject(failure), onProblem: (error) => void told.push(error) }
    await commit('a.txt', 'one')
    const { code, stderr } = await tryClient(clone, ['push', 'origin', 'main'])
    expect(told).toEqual([failure])
    expect(code).not.toBe(0)
    expect(stderr).toContain('The push could not be checked. Try again.')
    expect(stderr).not.toContain('database')
  })

  test('a push that unpacks to more than the quota is refused', async () => {
    server.receive = { maxInflatedBytes: 1_000_000 }
    const old = await readBranch(repository, 'main')
    await commit('zeros.bin', Buffer.alloc(2_000_000))
    const { code, stderr } = await tryClient(clone, ['push', 'origin', 'main'])
    expect(code).not.toBe(0)
    expect(stderr).toContain('more than the 1000000 bytes that are left of the quota')
    expect(await readBranch(repository, 'main')).toBe(old)
    expect(await quarantines()).toEqual([])
  })

  test('a pack larger than allowed is refused while it arrives', async () => {
    server.receive = { maxPackBytes: 100_000 }
    const old = await readBranch(repository, 'main')
    await commit('noise.bin', randomBytes(400_000))
    expect((await tryClient(clone, ['push', 'origin', 'main'])).code).not.toBe(0)
    expect(await readBranch(repository, 'main')).toBe(old)
    expect(await quarantines()).toEqual([])
  })

  test('only plain branches and tags can be pushed, under names that read as nothing else', async () => {
    await commit('a.txt', 'one')
    const sha = '0123456789012345678901234567890123456789'
    const names = [
      `replace/${sha}`,
      'svc/secret',
      'notes/commits',
      'heads/refs/heads/main',
      'tags/HEAD',
      `heads/${sha}`,
    ]
    for (const name of names) {
      const { code } = await tryClient(clone, ['push', 'origin', `main:refs/${name}`])
      expect(code, name).not.toBe(0)
    }
    expect(await runClient(repository.path, ['for-each-ref', '--format=%(refname)'])).toBe('refs/heads/main')
  })

  test('a push that breaks off half-way changes nothing and leaves nothing', async () => {
    const old = await readBranch(repository, 'main')
    const tip = await commit('a.bin', Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * at) & 255)))
    const pack = await packFor(tip, old ?? '')
    const head = `${old} ${tip} refs/heads/main\0report-status\n`
    const body = Buffer.concat([Buffer.from(`${(head.length + 4).toString(16).padStart(4, '0')}${head}0000`), pack])
    await sendHalf(body.subarray(0, body.length - 100))
    await until(() => server.pushes.length > 0)
    expect(server.pushes.at(-1)?.applied).toEqual([])
    expect(await readBranch(repository, 'main')).toBe(old)
    expect(await quarantines()).toEqual([])
    await runClient(clone, ['push', '-q', 'origin', 'main'])
    expect(await readBranch(repository, 'main')).toBe(tip)
  })

  test('a push larger than the client holds in memory arrives in pieces', async () => {
    const noise = randomBytes(3_000_000)
    const tip = await commit('noise.bin', noise)
    await runClient(clone, ['push', '-q', 'origin', 'main'])
    expect(await readBranch(repository, 'main')).toBe(tip)
    expect((await readFile(repository, { ref: 'main', path: 'noise.bin' })).content.equals(noise)).toBe(true)
  })

  test.runIf(process.platform === 'linux')(
    'the answer of a git that was killed is cut off: a client would wait for ever for the rest of one that looks whole',
    async () => {
      server.receive = {
        authorizeUpdates: async () => {
          const pid = await findReceiver()
          if (pid !== undefined) signal(-pid, 'SIGKILL')
          return undefined
        },
      }
      await commit('a.txt', 'one')
      const { code, stderr } = await tryClient(clone, ['push', '-q', 'origin', 'main'])
      expect([code, stderr]).toEqual([1, expect.stringMatching(/RPC failed; curl (?:18|52|56)/)])
    },
  )

  test.runIf(process.platform === 'linux')(
    'git killed at any point of a push: the branch is old or new, the repository sound, the next push arrives',
    async () => {
      for (let round = 0; round < (isLong ? 40 : 4); round += 1) {
        const old = await readBranch(repository, 'main')
        const tip = await commit(`round-${round}`, randomBytes(100_000))
        const pushing = tryClient(clone, ['push', '-q', 'origin', 'main'])
        await killReceiver(pushing, Math.random() * 60)
        await pushing
        expect([old, tip]).toContain(await readBranch(repository, 'main'))
        expect(await checkRepository(repository)).toEqual([])
        await removeLeftovers(repository, Date.now() + 3_600_000)
        await runClient(clone, ['push', '-q', 'origin', 'main'])
        expect(await readBranch(repository, 'main')).toBe(tip)
      }
    },
  )

  test('a line to the hooks that breaks, as when git is killed, ends the push and nothing else', async () => {
    const line = new Socket()
    const told: unknown[] = []
    line.on('error', (error) => void told.push(error))
    const hooks = answerHooks(repository, line, { authorizeUpdates: async () => undefined })
    const cause = new Error('read ECONNRESET')
    line.destroy(cause)
    await new Promise((resolve) => line.once('close', resolve))
    expect([told, hooks.finish().applied]).toEqual([[cause], []])
  })

  test('twenty pushes at once to twenty branches all arrive', async () => {
    const clones = await Promise.all(Array.from({ length: 20 }, (_, index) => makeClone(`file-${index}`)))
    await Promise.all(clones.map((path, index) => pushTo(`branch-${index}`, path)))
    for (let index = 0; index < 20; index += 1) {
      expect((await readFile(repository, { ref: `branch-${index}`, path: `file-${index}` })).text).toBe('mine')
    }
    expect(await checkRepository(repository)).toEqual([])
  })

  test('of eight pushes at once to one branch, those that were accepted are all in it', async () => {
    // All of them know the same past before the first is pushed: a clone made later would just go on from it.
    const clones = await Promise.all(Array.from({ length: 8 }, (_, index) => makeClone(`file-${index}`)))
    const results = await Promise.all(clones.map(async (path, index) => ({ index, ok: await pushTo('main', path) })))
    const accepted = results.filter(({ ok }) => ok)
    expect(accepted).toHaveLength(1)
    for (const { index } of accepted) {
      expect((await readFile(repository, { ref: 'main', path: `file-${index}` })).text).toBe('mine')
    }
    expect(await checkRepository(repository)).toEqual([])
  })

  test('a push and a server-side update of one branch: exactly one of them wins', async () => {
    const old = await readBranch(repository, 'main')
    const other = await commit('x.txt', 'x')
    await runClient(clone, ['push', '-q', 'origin', 'main:other'])
    await runClient(clone, ['reset', '-q', '--hard', old ?? ''])
    const mine = await commit('y.txt', 'y')
    const [push, update] = await Promise.all([
      tryClient(clone, ['push', '-q', 'origin', 'main']),
      updateRefs(repository, [{ ref: 'refs/heads/main', oldSha: old, newSha: other }], 'test').then(
        () => true,
        () => false,
      ),
    ])
    expect([push.code === 0, update].filter(Boolean)).toHaveLength(1)
    expect(await readBranch(repository, 'main')).toBe(update ? other : mine)
  })
})

async function commit(name: string, content: string | Buffer): Promise<string> {
  await writeFile(join(clone, name), content)
  await runClient(clone, ['add', '-A'])
  await runClient(clone, ['commit', '-q', '-m', `Add ${name}`])
  return runClient(clone, ['rev-parse', 'HEAD'])
}

/** Kills the receiver of a push, and all it has started, a little after it appears; stops looking when the push ends. */
async function killReceiver(pushing: Promise<unknown>, delayMs: number): Promise<void> {
  let isOver = false
  void pushing.then(() => {
    isOver = true
  })
  while (!isOver) {
    const pid = await findReceiver()
    if (pid === undefined) {
      await sleep(1)
      continue
    }
    await sleep(delayMs)
    // Only while it is still ours: a number may have been given to another process since.
    if (pid === (await findReceiver())) signal(-pid, 'SIGKILL')
    return
  }
}

async function findReceiver(): Promise<number | undefined> {
  const children = await readDiskFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
  for (const pid of children.trim().split(' ')) {
    const line = await readDiskFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (line.includes('receive-pack') && !line.includes('--advertise-refs')) return Number(pid)
  }
  return undefined
}

async function makeClone(file: string): Promise<string> {
  const path = join(scratch, `clone-${file}`)
  await runClient(scratch, ['clone', '-q', server.url, path])
  await writeFile(join(path, file), 'mine')
  await runClient(path, ['add', '-A'])
  await runClient(path, ['commit', '-q', '-m', file])
  return path
}

const pushTo = async (branch: string, path: string): Promise<boolean> =>
  (await tryClient(path, ['push', '-q', 'origin', `HEAD:${branch}`])).code === 0

async function quarantines(): Promise<string[]> {
  const names = await readdir(join(repository.path, 'objects'))
  return names.filter((name) => name.startsWith('tmp_'))
}

async function packFor(tip: string, old: string): Promise<Buffer> {
  const name = await runClient(clone, ['pack-objects', '--revs', '-q', join(scratch, 'half')], {
    input: `${tip}\n^${old}\n`,
  })
  return readDiskFile(join(scratch, `half-${name}.pack`))
}

function sendHalf(body: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const sending = request({
      port: server.port,
      method: 'POST',
      path: '/repo.git/git-receive-pack',
      headers: { 'content-type': 'application/x-git-receive-pack-request', 'content-length': body.length + 100 },
    })
    sending.on('error', () => resolve())
    sending.write(body, () => setTimeout(() => sending.destroy(new Error('gone')), 100))
  })
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(20)
}
