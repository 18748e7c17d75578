import type { ProblemCode } from '@svc/contract'
import {
  ManifestEditError,
  type ManifestFormat,
  type PlainMap,
  serializeManifestObject,
  validateManifest,
} from '@svc/manifest'
import { commitFiles, GitError, readBranch } from '../../git/index.ts'
import { problem } from '../../kernel/http/index.ts'
import type { Principal } from '../../kernel/principal.ts'
import { describeAuthor } from '../describe-author.ts'
import { toProblem } from '../git-problem.ts'
import type { Parts, ProjectRepository } from '../parts.ts'
import { recordChange } from '../record-change.ts'
import { type ManifestFile, readManifest } from './read-manifest.ts'

export interface ManifestEdit {
  readonly principal: Principal
  /** The commit's message, and the audit event's action. */
  readonly message: string
  readonly action: string
  /** The new text. Throws what the caller should be told when the edit makes no sense. */
  readonly change: (manifest: ManifestFile & { readonly parsed: PlainMap }) => string
  /** The refusal when the result would not be valid. */
  readonly invalidCode: ProblemCode
}

const maxTries = 5

/** What a project without a manifest gets: one agent that may use everything. */
const firstManifest = serializeManifestObject(
  {
    svc_version: 2,
    default_agent: 'svc',
    agents: { svc: { connectors: 'all', secrets: 'all', skills: 'all', svc_cli: 'all' } },
  },
  'yaml',
)

/**
 * One edit of the manifest as one commit on the default branch. The manifest is read, changed, validated, and written
 * only if the file is still the one that was read; a branch that moved for other reasons is no obstacle.
 */
export async function editManifest(
  parts: Parts,
  projectId: string,
  edit: ManifestEdit,
): Promise<{ commit: string; text: string; format: ManifestFormat }> {
  return parts.withLock(projectId, async () => {
    const repository = await parts.openCurrent(projectId)
    let read: ManifestFile | undefined
    for (let attempt = 1; ; attempt += 1) {
      const tip = await readBranch(repository.git, repository.defaultBranch)
      const manifest = await readCurrent(repository, tip)
      if (read && read.objectId !== manifest.objectId) throw problem('concurrent_edit')
      read = manifest
      const text = applyEdit(manifest, edit)
      try {
        const { commit, isChanged } = await commitFiles(repository.git, {
          branch: repository.defaultBranch,
          expectedParent: tip,
          changes: [{ path: manifest.path, content: text }],
          message: edit.message,
          ...describeAuthor(edit.principal),
        })
        if (isChanged) await publish(parts, repository, edit, { tip, commit })
        return { commit, text, format: manifest.format }
      } catch (error) {
        if (!GitError.isInstance(error)) throw error
        if (error.code !== 'stale') throw toProblem(error)
        if (attempt === maxTries) throw problem('concurrent_edit')
      }
    }
  })
}

async function readCurrent(
  { git, manifestPath }: ProjectRepository,
  tip: string | null,
): Promise<ManifestFile & { parsed: PlainMap }> {
  const found = tip === null ? undefined : await readManifest(git, tip, manifestPath)
  if (!found) {
    const path = manifestPath.replace(/(?<=[^/])\.[^./]*$/, '.yaml')
    const parsed = validateManifest(firstManifest, 'yaml').parsed ?? {}
    return { path, format: 'yaml', text: firstManifest, objectId: '', parsed, valid: true, issues: [] }
  }
  if (!found.parsed) throw problem('manifest_read', { extras: { issues: found.issues } })
  return { ...found, parsed: found.parsed }
}

function applyEdit(manifest: ManifestFile & { parsed: PlainMap }, { change, invalidCode }: ManifestEdit): string {
  const text = changeText(manifest, change)
  const { valid, issues } = validateManifest(text, manifest.format)
  if (!valid) throw problem(invalidCode, { extras: { issues } })
  return text
}

function changeText(manifest: ManifestFile & { parsed: PlainMap }, change: ManifestEdit['change']): string {
  try {
    return change(manifest)
  } catch (error) {
    if (!ManifestEditError.isInstance(error)) throw error
    throw problem('manifest_read', { say: error.message, cause: error })
  }
}

/** A repository that lives elsewhere must take the commit too; if it does not, the mirror goes back to what is there. */
async function publish(
  parts: Parts,
  repository: ProjectRepository,
  { principal, action }: ManifestEdit,
  { tip, commit }: { tip: string | null; commit: string },
): Promise<void> {
  const branch = repository.defaultBranch
  try {
    await parts.remotes.push(repository, repository.git, [{ branch, newSha: commit, expectedSha: tip }])
  } catch (error) {
    await parts.remotes.sync(repository, { force: true })
    if (GitError.isInstance(error, 'remote_rejected')) throw problem('concurrent_edit', { cause: error })
    throw error
  }
  await parts.kernel.database.transact(principal.actor, (tx) =>
    recordChange(tx, repository, [{ ref: `refs/heads/${branch}`, oldSha: tip, newSha: commit }], { action }),
  )
}
