import { isFullSha } from './check-ref.ts'
import { type RemoteAccess, withRemote } from './open-remote.ts'
import { runGit } from './run-git.ts'

export interface RemoteRefs {
  /** Null for an empty repository, or when the host does not say. */
  readonly defaultBranch: string | null
  readonly branches: ReadonlyMap<string, string>
  readonly tags: ReadonlyMap<string, string>
}

/** Asks another host for its branches and tags. The cheapest proof that address and credential work. */
export function listRemoteRefs(access: RemoteAccess): Promise<RemoteRefs> {
  return withRemote(access, async ({ remote, options }) => {
    const args = ['ls-remote', '--symref', '--end-of-options', remote.url, 'HEAD', 'refs/heads/*', 'refs/tags/*']
    const { stdout } = await runGit(null, args, options)
    return parseRefs(stdout.toString('utf8'))
  })
}

function parseRefs(text: string): RemoteRefs {
  const branches = new Map<string, string>()
  const tags = new Map<string, string>()
  let defaultBranch: string | null = null
  for (const line of text.split('\n')) {
    const [value = '', ref = ''] = line.split('\t')
    const head = /^ref: refs\/heads\/(.+)$/.exec(value)?.[1]
    if (head && ref === 'HEAD') defaultBranch = head
    if (!isFullSha(value) || ref.endsWith('^{}')) continue
    if (ref.startsWith('refs/heads/')) branches.set(ref.slice('refs/heads/'.length), value)
    if (ref.startsWith('refs/tags/')) tags.set(ref.slice('refs/tags/'.length), value)
  }
  return { defaultBranch, branches, tags }
}
