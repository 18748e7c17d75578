import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'
import { newExternalId } from '../external-id.ts'
import { openLocalProvider, plainBoot, smallResources, takeUid } from './testing/local-machine.ts'
import { tryInside } from './testing/try-inside.ts'

const run = promisify(execFile)
const local = await openLocalProvider()
const scratch = await mkdtemp(join(tmpdir(), 'svc-workspace-'))
afterAll(async () => {
  await local.close()
  await rm(scratch, { recursive: true, force: true })
})
const { provider } = local

async function makeRepository(): Promise<{ repositoryPath: string; commit: string }> {
  const work = join(scratch, 'work')
  const repositoryPath = join(scratch, 'repository.git')
  const git = (...args: string[]) =>
    run('git', ['-C', work, '-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args])
  await mkdir(join(work, 'src'), { recursive: true })
  await run('git', ['init', '-q', '-b', 'main', work])
  await writeFile(join(work, 'src', 'a b.txt'), 'hello\n')
  await writeFile(join(work, 'run.sh'), '#!/bin/sh\necho ran\n', { mode: 0o755 })
  await git('add', '.')
  await git('commit', '-qm', 'first')
  await writeFile(join(work, 'second.txt'), 'two\n')
  await git('add', '.')
  await git('commit', '-qm', 'second')
  await run('git', ['clone', '-q', '--bare', work, repositoryPath])
  return { repositoryPath, commit: (await git('rev-parse', 'HEAD~1')).stdout.trim() }
}

describe.runIf(process.platform === 'linux')('a workspace from a checkout', () => {
  test('is on the session’s branch at the commit, belongs to the guest, and is its own copy', async () => {
    const source = await makeRepository()
    const branches = ['3f6c2d0a-0000-4000-8000-000000000001', 'feature/with-a-folder']
    const machines: string[] = []
    for (const branch of branches) {
      const externalId = newExternalId()
      machines.push(externalId)
      await provider.create({
        externalId,
        projectId: 'project',
        resources: smallResources,
        image: undefined,
        workspace: { ...source, branch },
        hostUid: takeUid(),
      })
      await provider.start(externalId, plainBoot, () => undefined)
      const look =
        'git status --porcelain --branch; git rev-parse HEAD; git log --format=%s; cat "src/a b.txt"; ./run.sh'
      expect(await tryInside(provider, externalId, look)).toEqual({
        code: 0,
        output: [`## ${branch}`, source.commit, 'first', 'hello', 'ran'].join('\n'),
      })
      const change =
        'echo changed > run.sh && git -c user.name=A -c user.email=a@b.c commit -qam mine && stat -c %U run.sh .git'
      expect((await tryInside(provider, externalId, change)).output).toBe('agent\nagent')
    }
    // The second began as clean as the first: a commit is checked out once, and copied.
    expect(await readdir(join(local.dataDir, 'sandboxes', 'checkouts'))).toHaveLength(1)
    const [first = ''] = machines
    await provider.stop(first)
    await provider.start(first, plainBoot, () => undefined)
    expect((await tryInside(provider, first, 'git log -1 --format=%s; cat run.sh')).output).toBe('mine\nchanged')
  })

  test('one that cannot be prepared begins empty: the daemon fetches it', async () => {
    const externalId = newExternalId()
    const workspace = { repositoryPath: join(scratch, 'repository.git'), commit: '0'.repeat(40), branch: 'x' }
    const hostUid = takeUid()
    const spec = { externalId, projectId: 'p', resources: smallResources, image: undefined, hostUid }
    await provider.create({ ...spec, workspace })
    await provider.start(externalId, plainBoot, () => undefined)
    expect((await tryInside(provider, externalId, 'ls -A /workspace')).output).toBe('')
  })
})
