import { createHash } from 'node:crypto'
import type { Permission } from '@svc/contract'
import { DEFAULT_CONFIG_DIR } from '@svc/manifest'
import { checkPath, readBranch } from '../git/index.ts'
import type { Call } from '../kernel/http/index.ts'
import { readManifest } from './manifest/read-manifest.ts'
import type { Parts, ProjectRepository } from './parts.ts'

export type Hides = ((path: string) => boolean) | undefined

interface RuledObject {
  readonly type: 'agent' | 'skill'
  readonly id: string
}

export interface Viewer {
  /**
   * Runs a reading with a filter that leaves out the files of agents and skills the caller may not see. Which ones a
   * reading meets is known only while it runs, so it may run twice: first to learn their names, then with the verdicts.
   */
  read<T>(run: (hides: Hides) => Promise<T>): Promise<T>
  isHidden(path: string): Promise<boolean>
  /** Differs when what the viewer may see differs: part of every entity tag. */
  digest(): string
}

/** What of a repository the caller of an operation may see. */
export async function createViewer(parts: Parts, call: Call, repository: ProjectRepository): Promise<Viewer> {
  if (await parts.seesEverything(call.principal, repository.accountId)) return openViewer
  const folders = await listConfigFolders(repository)
  const permission = call.request.operation.needs as Permission
  const verdicts = new Map<string, boolean>()

  async function decide({ type, id }: RuledObject): Promise<boolean> {
    const allowed = await call.can(permission, { projectId: repository.projectId, object: { type, id } })
    verdicts.set(`${type} ${id}`, !allowed)
    return !allowed
  }

  return {
    async read(run) {
      for (;;) {
        const unknown = new Map<string, RuledObject>()
        const result = await run((path) => {
          const object = objectAt(path, folders)
          if (!object) return false
          const key = `${object.type} ${object.id}`
          const verdict = verdicts.get(key)
          if (verdict === undefined) unknown.set(key, object)
          return verdict ?? true
        })
        if (unknown.size === 0) return result
        for (const object of unknown.values()) await decide(object)
      }
    },
    async isHidden(path) {
      const object = objectAt(path, folders)
      return object !== undefined && decide(object)
    },
    digest() {
      const hidden = [...verdicts].filter(([, isHidden]) => isHidden).map(([key]) => key)
      return createHash('sha256').update(hidden.sort().join('\n')).digest('base64url').slice(0, 8)
    },
  }
}

const openViewer: Viewer = {
  read: (run) => run(undefined),
  isHidden: async () => false,
  digest: () => 'all',
}

/** The agent or skill that a file belongs to: `<folder>/agents/<name>.md`, `<folder>/skills/<name>/…`. */
function objectAt(given: string, folders: readonly string[]): RuledObject | undefined {
  const path = spellPlainly(given)
  for (const folder of folders) {
    if (!path.startsWith(`${folder}/`)) continue
    const rest = path.slice(folder.length + 1)
    const agent = /^agents?\/(.+)\.md$/.exec(rest)?.[1]
    if (agent !== undefined) return { type: 'agent', id: agent }
    const skill = /^skills?\/([^/]+)(?:\/|$)/.exec(rest)?.[1]
    if (skill !== undefined) return { type: 'skill', id: skill }
  }
  return undefined
}

/** One spelling for every way to name a file: git's quotes undone, a slash at the end gone. */
function spellPlainly(path: string): string {
  return path.startsWith('"') || path.endsWith('/') ? checkPath(path).toString('utf8') : path
}

async function listConfigFolders({ git, defaultBranch, manifestPath }: ProjectRepository): Promise<string[]> {
  const tip = await readBranch(git, defaultBranch)
  const manifest = tip === null ? undefined : await readManifest(git, tip, manifestPath)
  const opencode = manifest?.parsed?.opencode
  const named = typeof opencode === 'object' && opencode !== null && 'config_dir' in opencode ? opencode.config_dir : ''
  const folders = [DEFAULT_CONFIG_DIR, ...(typeof named === 'string' && named !== '' ? [named] : [])]
  return [...new Set(folders.map((folder) => folder.replace(/^\.\//, '').replace(/\/+$/, '')))]
}
