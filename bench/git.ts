import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  closeAllReaders,
  collectGarbage,
  commitFiles,
  createRepository,
  diffCommit,
  type FileChange,
  isGitService,
  listFileHistory,
  listFiles,
  mergeBranches,
  openRepository,
  previewMerge,
  type Repository,
  readFile,
  resolveRef,
  sendGitReply,
  serveInfoRefs,
  serveReceivePack,
  serveUploadPack,
} from '../apps/server/src/git/index.ts'
import { serveHttpBackend } from '../apps/server/src/git/testing/serve-http-backend.ts'
import { alternate, formatTable } from './support/rounds.ts'

/**
 * The git layer beside what it stands on: clone and push beside `git http-backend` behind a minimal CGI, reads beside
 * the bare git command that answers the same question.
 */

type Contender = () => Promise<unknown>

const author = { name: 'Bench', email: 'bench@example.com' }
const rounds = 5
const readers = 50

export async function run(): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'svc-bench-git-'))
  const rows: string[][] = []
  const promises: string[] = []
  const measure = async (name: string, repeat: number, sides: Record<string, Contender>) => {
    const times = await alternate(rounds, Object.values(sides), (side) => time(side, repeat))
    const [ours = 0, ...others] = times
    const names = Object.keys(sides).slice(1)
    const beside = others.map(
      (other, index) => `${(ours / other).toFixed(2)} of ${names[index]} (${milliseconds(other)})`,
    )
    rows.push([name, milliseconds(ours), ...beside])
    console.log(rows.at(-1)?.join('  '))
    return times
  }
  try {
    promises.push(...(await measureTransport(scratch, measure)), await measureReads(scratch, measure))
    await measureReaders(scratch, measure)
    await measureHistory(scratch, measure)
    await measureDiff(scratch, measure)
    await measureMerge(scratch, measure)
    console.log(`\ntime per call, median of ${rounds} alternated rounds; a ratio below 1 is faster than the other side`)
    console.log(formatTable(['what', 'ours', 'beside', ''], rows))
    console.log(`\n${promises.join('\n')}`)
  } finally {
    closeAllReaders()
    await rm(scratch, { recursive: true, force: true })
  }
}

type Measure = (name: string, repeat: number, sides: Record<string, Contender>) => Promise<number[]>

async function measureTransport(scratch: string, measure: Measure): Promise<string[]> {
  const repository = await makeRepository(join(scratch, 'clone.git'), 5000)
  const ours = await listen((request, response) => serveOurs(repository, request, response))
  const peer = { ...durable, 'transfer.fsckObjects': 'true' }
  const cgi = await listen((request, response) => serveHttpBackend(scratch, request, response, peer))
  let count = 0
  const clone = (url: string) => async () => {
    const target = join(scratch, `target-${count++}`)
    await git(scratch, ['clone', '-q', '--no-checkout', url, target])
    await rm(target, { recursive: true })
  }
  const cloned = await measure('clone of 5,000 files, without the checkout', 1, {
    ours: clone(`http://127.0.0.1:${ours.port}/clone.git`),
    'http-backend': clone(`http://127.0.0.1:${cgi.port}/clone.git`),
    'local clone --no-local': clone(`file://${repository.path}`),
  })
  const refs = (port: number) => () => git(scratch, ['ls-remote', `http://127.0.0.1:${port}/clone.git`])
  await measure('ls-remote', 5, { ours: refs(ours.port), 'http-backend': refs(cgi.port) })
  await git(scratch, ['clone', '-q', repository.path, 'work'])
  const push = (port: number) => async () => {
    const work = join(scratch, 'work')
    const changes = [
      `M 100644 inline pushed-${count}\ndata 4\nnew\n`,
      `M 100644 inline dir-1/also-${count}\ndata 2\nx\n`,
    ]
    const head = `commit refs/heads/push-${count}\ncommitter B <b@example.com> 1700000000 +0000\ndata 1\nx\nfrom refs/heads/main\n`
    await git(work, ['fast-import', '--quiet'], `${head}${changes.join('')}\n`)
    const startedAtMs = performance.now()
    await git(work, ['push', '-q', `http://127.0.0.1:${port}/clone.git`, `push-${count++}`])
    return performance.now() - startedAtMs
  }
  const pushed = await measure('push of one commit', 5, { ours: push(ours.port), 'http-backend': push(cgi.port) })
  ours.server.close()
  cgi.server.close()
  return [
    judge('clone, as fast as git http-backend', ratio(cloned[1], cloned[0]), (value) => value >= 0.9, 'at least 0.90'),
    judge('push, as fast as git http-backend', ratio(pushed[1], pushed[0]), (value) => value >= 0.8, 'at least 0.80'),
  ]
}

async function measureReads(scratch: string, measure: Measure): Promise<string> {
  const readTimes: number[] = []
  for (const files of [100, 10_000, 100_000]) {
    const repository = await makeRepository(join(scratch, `read-${files}.git`), files)
    const { path } = repository
    let at = 0
    const next = () => pathOf((at++ * 7919) % files)
    const [own = 0] = await measure(`read a file of ${files}`, 50, {
      ours: () => readFile(repository, { ref: 'main', path: next() }),
      'git cat-file': () => git(path, ['cat-file', 'blob', `main:${next()}`]),
    })
    readTimes.push(own)
    await measure(`read the same file of ${files} again`, 50, {
      ours: () => readFile(repository, { ref: 'main', path: pathOf(0) }),
      'git cat-file': () => git(path, ['cat-file', 'blob', `main:${pathOf(0)}`]),
    })
    await measure(`list the first 1,000 of ${files}`, 3, {
      ours: () => listFiles(repository, { ref: 'main' }),
      'git ls-tree -r -l (all)': () => git(path, ['ls-tree', '-r', '-l', 'main']),
    })
  }
  const growth = ratio(readTimes.at(-1), readTimes[0])
  return judge('reading a file of 100,000 beside one of 100', growth, (value) => value <= 2, 'at most 2.00')
}

/** Everybody reads other files all the time, while somebody pushes commit after commit. */
async function measureReaders(scratch: string, measure: Measure): Promise<void> {
  const repository = await makeRepository(join(scratch, 'readers.git'), 5000)
  const server = await listen((request, response) => serveOurs(repository, request, response))
  const work = join(scratch, 'pusher')
  await git(scratch, ['clone', '-q', '--no-checkout', repository.path, work])
  let at = 0
  const next = () => pathOf((at++ * 7919) % 5000)
  const read = async () => {
    const reader = async () => {
      for (let index = 0; index < 20; index += 1) await readFile(repository, { ref: 'main', path: next() })
    }
    await Promise.all(Array.from({ length: readers }, reader))
  }
  const readWhilePushing = async () => {
    let isOver = false
    const pushing = (async () => {
      while (!isOver) {
        const branch = `pushed-${at++}`
        const head = `commit refs/heads/${branch}\ncommitter B <b@example.com> 1700000000 +0000\ndata 1\nx\n`
        await git(work, ['fast-import', '--quiet'], `${head}M 100644 inline new-${at}\ndata 4\nnew\n\n`)
        await git(work, ['push', '-q', `http://127.0.0.1:${server.port}/readers.git`, branch])
      }
    })()
    const startedAtMs = performance.now()
    await read()
    const elapsedMs = performance.now() - startedAtMs
    isOver = true
    await pushing
    return elapsedMs
  }
  await measure(`${readers} readers of 20 files each, while one pushes`, 1, {
    ours: readWhilePushing,
    'nobody pushing': read,
    [`${readers} git cat-file at once, one file each`]: () =>
      Promise.all(Array.from({ length: readers }, () => git(repository.path, ['cat-file', 'blob', `main:${next()}`]))),
  })
  server.server.close()
}

async function measureHistory(scratch: string, measure: Measure): Promise<void> {
  const { repository } = await createRepository(join(scratch, 'history.git'))
  const stream: string[] = []
  for (let index = 1; index <= 10_000; index += 1) {
    const file = index % 100 === 1 ? 'watched.txt' : `dir-${index % 50}/file-${index % 500}.txt`
    const text = `revision ${index}\n`
    const who = `committer B <b@example.com> ${1_600_000_000 + index} +0000`
    stream.push(`commit refs/heads/main\n${who}\ndata 1\nx\nM 100644 inline ${file}\ndata ${text.length}\n${text}\n`)
  }
  await git(repository.path, ['fast-import', '--quiet'], stream.join(''))
  const follow = ['log', '--follow', '-n', '51', 'main', '--', 'watched.txt']
  const question = { ref: 'main', path: 'watched.txt' }
  const sides = {
    ours: () => listFileHistory(repository, question),
    'git log --follow': () => git(repository.path, follow),
  }
  await measure('history of a file in 10,000 commits, never packed', 1, sides)
  await collectGarbage(repository, { mode: 'full' })
  await measure('history of a file in 10,000 commits, after maintenance', 2, sides)
}

async function measureDiff(scratch: string, measure: Measure): Promise<void> {
  const line = (index: number, word: string) => `${word} ${index} ${'x'.repeat(60)}\n`
  const text = (word: string) => Array.from({ length: 800 }, (_, index) => line(index, word)).join('')
  const files = Array.from({ length: 17 }, (_, index) => ({ path: `big-${index}.txt`, content: text('before') }))
  const { repository, commit } = await createRepository(join(scratch, 'diff.git'), {
    initialCommit: { files, message: 'Before', author },
  })
  const changes = files.map(({ path }) => ({ path, content: text('after') }))
  const made = await commitFiles(repository, {
    branch: 'main',
    expectedParent: commit,
    changes,
    message: 'After',
    author,
  })
  await measure('a 2 MB diff', 2, {
    ours: () => diffCommit(repository, made.commit),
    'git show': () => git(repository.path, ['show', '-M', made.commit]),
  })
}

async function measureMerge(scratch: string, measure: Measure): Promise<void> {
  const repository = await makeRepository(join(scratch, 'merge.git'), 5000)
  const root = await resolveRef(repository, 'main')
  let base = root
  let index = 0
  const edit = async (branch: string, expectedParent: string, path: string) => {
    const changes = [{ path, content: `edit ${index++}\n` }]
    return (await commitFiles(repository, { branch, expectedParent, changes, message: 'Edit', author })).commit
  }
  await git(repository.path, ['branch', 'topic', root])
  const head = await edit('topic', root, pathOf(1))
  base = await edit('main', base, pathOf(2))
  // Every first look is at a base nobody has merged before, on both sides.
  const look = (work: (sha: string) => Promise<unknown>) => async () => {
    base = await edit('main', base, pathOf(3))
    const startedAtMs = performance.now()
    await work(base)
    return performance.now() - startedAtMs
  }
  const mergeTree = async (sha: string) => {
    await git(repository.path, ['merge-base', sha, head])
    await git(repository.path, ['merge-tree', '--write-tree', sha, head])
  }
  await measure('merge preview in 5,000 files, first look', 5, {
    ours: look((sha) => previewMerge(repository, sha, head)),
    'git merge-base, merge-tree': look(mergeTree),
  })
  await measure('merge preview in 5,000 files, looked at again', 20, {
    ours: () => previewMerge(repository, base, head),
    'git merge-base, merge-tree': () => mergeTree(base),
  })
  const merge = (work: (branch: string) => Promise<unknown>) => async () => {
    const branch = `topic-${index}`
    await git(repository.path, ['branch', branch, root])
    await edit(branch, root, `merged-${index}`)
    const startedAtMs = performance.now()
    await work(branch)
    return performance.now() - startedAtMs
  }
  await measure('merge in 5,000 files', 5, {
    ours: merge((branch) => mergeBranches(repository, { into: 'main', from: branch, message: 'Merge', author })),
    'merge-base, merge-tree, commit-tree, update-ref': merge(async (branch) => {
      const step = (...args: string[]) => git(repository.path, args, '', durable)
      await step('merge-base', 'main', branch)
      await step('merge-tree', '--write-tree', 'main', branch)
      await step('commit-tree', '-p', 'main', '-p', branch, '-m', 'Merge', 'main^{tree}')
      await step('update-ref', `refs/heads/${branch}-merged`, branch)
    }),
  })
}

async function makeRepository(path: string, files: number): Promise<Repository> {
  const changes: FileChange[] = Array.from({ length: files }, (_, index) => ({
    path: pathOf(index),
    content: `file ${index}\n${'text '.repeat(index % 40)}\n`,
  }))
  await createRepository(path, { initialCommit: { files: changes, message: 'First', author } })
  const repository = openRepository(path)
  await collectGarbage(repository, { mode: 'full' })
  return repository
}

function pathOf(index: number): string {
  return `dir-${index % 100}/sub-${Math.floor(index / 100) % 20}/file-${index}.txt`
}

async function time(side: Contender, repeat: number): Promise<number> {
  let total = 0
  for (let index = 0; index < repeat; index += 1) {
    const startedAtMs = performance.now()
    const own = await side()
    // A side that prepares something first says itself how long the measured part took.
    total += typeof own === 'number' ? own : performance.now() - startedAtMs
  }
  return total / repeat
}

function ratio(one = 0, other = 1): number {
  return one / other
}

function judge(what: string, value: number, holds: (value: number) => boolean, bound: string): string {
  return `${holds(value) ? 'ok   ' : 'BELOW'} ${what}: ${value.toFixed(2)} (${bound})`
}

function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`
}

function git(cwd: string, args: readonly string[], input = '', settings = {}): Promise<undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, {
      cwd,
      env: { ...environment(), ...configure(settings) },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    // A command that reads nothing may be gone before this is written.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    child.stdout.resume()
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve(undefined) : reject(new Error(`git ${args[0]}: ${code}`))))
  })
}

/** Peers that write flush what we flush, so that both sides promise the same. */
const durable = { 'core.fsync': 'committed,loose-object,reference', 'core.fsyncMethod': 'batch' }

function configure(settings: Record<string, string>): Record<string, string> {
  const entries = Object.entries(settings).flatMap(([key, value], index): [string, string][] => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return { GIT_CONFIG_COUNT: String(Object.keys(settings).length), ...Object.fromEntries(entries) }
}

function environment(): NodeJS.ProcessEnv {
  const config = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }
  const who = {
    GIT_AUTHOR_NAME: 'B',
    GIT_AUTHOR_EMAIL: 'b@example.com',
    GIT_COMMITTER_NAME: 'B',
    GIT_COMMITTER_EMAIL: 'b@example.com',
  }
  return { PATH: process.env.PATH, HOME: tmpdir(), ...config, ...who }
}

async function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return { server, port: typeof address === 'object' && address ? address.port : 0 }
}

async function serveOurs(repository: Repository, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const header = request.headers['git-protocol']
  const gitProtocol = typeof header === 'string' ? header : undefined
  const service = url.searchParams.get('service')
  const ask = { body: request, contentEncoding: request.headers['content-encoding'], gitProtocol }
  const reply = isGitService(service)
    ? await serveInfoRefs(repository, { service, gitProtocol })
    : url.pathname.endsWith('/git-upload-pack')
      ? await serveUploadPack(repository, ask)
      : await serveReceivePack(repository, { ...ask, authorizeUpdates: async () => undefined })
  await sendGitReply(reply, response)
}
