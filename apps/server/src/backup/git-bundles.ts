import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

export interface BackedUpRepository {
  readonly id: string
  /** The branch that HEAD names, whether it exists or not. */
  readonly head: string
  readonly ref_count: number
}

const attempts = 3

/**
 * Everything that a repository's refs reach, in one file. Pushes may go on: git reads the refs once, and objects are
 * only ever added. Null when there is none on this machine, or it is gone meanwhile.
 */
export async function bundleRepository(dataDir: string, id: string, file: string): Promise<BackedUpRepository | null> {
  const path = pathOf(dataDir, id)
  for (let attempt = 1; ; attempt++) {
    try {
      const head = (await git(path, ['symbolic-ref', 'HEAD'])).trim().replace(/^refs\/heads\//, '')
      await rm(file, { force: true })
      if ((await git(path, ['for-each-ref', '--count=1'])) === '') return { id, head, ref_count: 0 }
      await git(path, ['bundle', 'create', '--quiet', file, '--all'])
      const refs = await git(path, ['bundle', 'list-heads', file])
      return { id, head, ref_count: listRefs(refs).length }
    } catch (error) {
      if (!existsSync(path)) return null
      if (attempt >= attempts) throw error
    }
  }
}

/** Made new from what was bundled, and checked object by object. */
export async function restoreRepository(
  dataDir: string,
  { id, head, ref_count }: BackedUpRepository,
  bundle: string | undefined,
): Promise<void> {
  const path = pathOf(dataDir, id)
  await git(undefined, ['init', '--quiet', '--bare', '--template=', `--initial-branch=${head}`, '--', path])
  if (bundle === undefined) return
  await git(path, ['bundle', 'unbundle', bundle])
  const refs = listRefs(await git(path, ['bundle', 'list-heads', bundle]))
  if (refs.length !== ref_count) throw new Error(`The repository ${id} in the backup is not complete.`)
  const commands = refs.map(({ sha, ref }) => `create ${ref} ${sha}\n`).join('')
  await git(path, ['update-ref', '--stdin'], commands)
  await git(path, ['fsck', '--full', '--no-dangling', '--no-progress'])
}

export const pathOf = (dataDir: string, id: string) => join(dataDir, 'repositories', `${id}.git`)

function listRefs(text: string): { sha: string; ref: string }[] {
  return text.split('\n').flatMap((line) => {
    const [, sha, ref] = /^([0-9a-f]{40,64}) (refs\/.+)$/.exec(line) ?? []
    return sha !== undefined && ref !== undefined ? [{ sha, ref }] : []
  })
}

/** Nothing of this machine's git configuration has a say. */
function git(path: string | undefined, args: readonly string[], input = ''): Promise<string> {
  const place = path === undefined ? [] : [`--git-dir=${path}`]
  const env = { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', LC_ALL: 'C' }
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['-c', 'safe.directory=*', ...place, ...args], { env, stdio: 'pipe' })
    const [out, err]: Buffer[][] = [[], []]
    child.stdout.on('data', (piece: Buffer) => out?.push(piece))
    child.stderr.on('data', (piece: Buffer) => err?.push(piece))
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) return resolve(Buffer.concat(out ?? []).toString('utf8'))
      const reason = Buffer.concat(err ?? [])
        .toString('utf8')
        .trim()
        .slice(0, 2000)
      reject(new Error(`git ${args[0]} failed for ${path ?? 'a new repository'}: ${reason}`))
    })
    child.stdin.on('error', () => {
      // git ended before it read everything; its exit code says what was wrong.
    })
    child.stdin.end(input)
  })
}
