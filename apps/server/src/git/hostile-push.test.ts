import { readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import {
  checkRepository,
  commitFiles,
  GitError,
  type ReceiveRequest,
  type Repository,
  readBranch,
  removeLeftovers,
  serveReceivePack,
} from './index.ts'
import {
  buildCommit,
  buildDeltaBomb,
  buildPack,
  buildPush,
  buildTree,
  objectId,
  type PackObject,
} from './testing/build-pack.ts'
import { ada, makeRepository } from './testing/make-repository.ts'

const mebibyte = 1024 * 1024
const isLong = process.env.SVC_TEST_LONG === '1'
if (isLong) vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 })

let repository: Repository
let tip: string

beforeAll(async () => {
  const made = await makeRepository()
  repository = made.repository
  tip = made.commit
})

const blob = Buffer.from('x')
const blobId = objectId('blob', blob)

describe('hostile pushes', () => {
  test.each([
    ['a .git directory', [['40000', '.git', 'tree']]],
    ['a .GIT file', [['100644', '.GIT', 'blob']]],
    ['a short name of .git', [['100644', 'git~1', 'blob']]],
    ['a name that HFS+ reads as .git', [['100644', '.g\u200cit', 'blob']]],
    ['a parent directory', [['40000', '..', 'tree']]],
    ['a dot', [['100644', '.', 'blob']]],
    ['a slash in a name', [['100644', 'a/b', 'blob']]],
    ['an empty name', [['100644', '', 'blob']]],
    [
      'the same name twice',
      [
        ['100644', 'a', 'blob'],
        ['100644', 'a', 'blob'],
      ],
    ],
    ['a .gitmodules that is a link', [['120000', '.gitmodules', 'blob']]],
  ] as const)('a tree with %s is refused', async (_name, rows) => {
    const inner = buildTree([['100644', 'a', blobId]])
    const ids = { blob: blobId, tree: objectId('tree', inner) }
    const tree = buildTree(rows.map(([mode, name, kind]) => [mode, name, ids[kind]]))
    const answer = await pushTree(tree, [
      { type: 'blob', content: blob },
      { type: 'tree', content: inner },
    ])
    expect(answer).toMatch(/unpack (?!ok)/)
    expect(await readBranch(repository, 'evil')).toBeNull()
  })

  test.each([
    '[submodule "a"]\n\tpath = a\n\turl = -u./payload\n',
    '[submodule "../x"]\n\tpath = a\n\turl = https://e.com/a\n',
  ])('the submodule trick %j is refused', async (text) => {
    const modules = Buffer.from(text)
    const tree = buildTree([['100644', '.gitmodules', objectId('blob', modules)]])
    expect(await pushTree(tree, [{ type: 'blob', content: modules }])).toMatch(/unpack (?!ok)/)
    expect(await readBranch(repository, 'evil')).toBeNull()
  })

  test('a commit whose objects are missing is refused', async () => {
    const tree = buildTree([['100644', 'a', 'b'.repeat(40)]])
    const answer = await pushTree(tree, [])
    expect(answer).toMatch(/unpack (?!ok)|ng refs\/heads\/evil/)
    expect(await readBranch(repository, 'evil')).toBeNull()
  })

  test('a name that is no UTF-8 is taken as it is', async () => {
    const tree = buildTree([['100644', Buffer.from([0x63, 0xe9]), blobId]])
    expect(await pushTree(tree, [{ type: 'blob', content: blob }], 'bytes')).toContain('ok refs/heads/bytes')
  })

  test.runIf(process.platform === 'linux')(
    'a few bytes that unfold past the memory limit end git, not the server',
    async () => {
      const answer = await pushBomb({ maxMemoryBytes: 96 * mebibyte })
      expect(answer).toMatch(/unpack (?!ok)/)
      expect(await readBranch(repository, 'evil')).toBeNull()
      expect(await leftovers()).toEqual([])
    },
  )

  test('a few bytes that unfold past the quota are refused before they count', async () => {
    const answer = await pushBomb({ maxInflatedBytes: 100 * mebibyte })
    expect(answer).toContain('ng refs/heads/evil pre-receive hook declined')
    expect(await readBranch(repository, 'evil')).toBeNull()
    expect(await leftovers()).toEqual([])
  })

  test('a huge file passes within the same memory limit, because it is never held whole', async () => {
    const zeros = Buffer.alloc((isLong ? 1000 : 200) * mebibyte)
    const tree = buildTree([['100644', 'zeros', objectId('blob', zeros)]])
    const answer = await pushTree(tree, [{ type: 'blob', content: zeros }], 'huge', { maxMemoryBytes: 96 * mebibyte })
    expect(answer).toContain('ok refs/heads/huge')
  })

  test.each([
    ['garbage', Buffer.from('this is no push at all')],
    ['a length that lies', Buffer.from('ffff')],
    ['nothing', Buffer.alloc(0)],
    ['a pack that is not one', buildPush(null, 'a'.repeat(40), 'refs/heads/evil', Buffer.from('PACKxxxxxxxxxxxxxxxx'))],
  ])('a body of %s changes nothing and ends', async (_name, body) => {
    await send(body)
    expect(await readBranch(repository, 'evil')).toBeNull()
    expect(await checkRepository(repository)).toEqual([])
  })
})

describe('what killed processes leave', () => {
  test('a lock of today blocks with a clear word, an old one is removed', async () => {
    const lock = join(repository.path, 'refs/heads/locked.lock')
    await writeFile(lock, '')
    const input = { branch: 'locked', expectedParent: null, message: 'x', author: ada }
    const changes = [{ path: 'a', content: 'a' }]
    const refused = await commitFiles(repository, { ...input, changes }).catch((error: unknown) => error)
    expect(GitError.isInstance(refused, 'busy')).toBe(true)
    expect(await removeLeftovers(repository, Date.now())).toEqual([])
    await utimes(lock, new Date(0), new Date(0))
    expect(await removeLeftovers(repository, Date.now())).toEqual([lock])
    await commitFiles(repository, { ...input, changes })
    await expect(stat(lock)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

function pushTree(tree: Buffer, more: PackObject[], branch = 'evil', options: Partial<ReceiveRequest> = {}) {
  const commit = buildCommit(objectId('tree', tree), tip)
  const objects: PackObject[] = [{ type: 'commit', content: commit }, { type: 'tree', content: tree }, ...more]
  return send(buildPush(null, objectId('commit', commit), `refs/heads/${branch}`, buildPack(objects)), options)
}

function pushBomb(options: Partial<ReceiveRequest>): Promise<string> {
  const base = Buffer.alloc(10 * mebibyte, 1)
  const id = objectId('blob', base)
  const tree = buildTree([['100644', 'base', id]])
  const bomb: PackObject = { type: 'delta', base: id, delta: buildDeltaBomb(base.length, 20) }
  return pushTree(tree, [{ type: 'blob', content: base }, bomb], 'evil', options)
}

async function send(body: Buffer, options: Partial<ReceiveRequest> = {}): Promise<string> {
  const policy = { authorizeUpdates: async () => undefined, ...options }
  const reply = await serveReceivePack(repository, { body: Readable.from([body]), ...policy })
  const answer = Buffer.concat(await reply.body.toArray()).toString('utf8')
  await reply.done
  return answer
}

async function leftovers(): Promise<string[]> {
  return (await readdir(join(repository.path, 'objects'))).filter((name) => name.startsWith('tmp_'))
}
