import { materializeManifest, type ResolvedManifest } from '@svc/manifest'
import { GitError, readBranch, readFile } from '../../git/index.ts'
import { Problem } from '../../kernel/http/index.ts'
import { type ProjectRepository, readManifest } from '../../repositories/index.ts'
import { type Definition, defaultResources, defaultSlug, fingerprintOf, platformTemplate } from './definition.ts'
import type { Parts } from './parts.ts'
import { listTemplateRows, type TemplateRow } from './store/templates.ts'

export interface Definitions {
  /** The platform's first, then the manifest's, then those made by hand. */
  readonly templates: readonly Definition[]
  readonly defaultSlug: string
  /** What the repository's part was read from. */
  readonly commit: string | null
  /** Slugs that the manifest declares or uses. */
  readonly usedByManifest: ReadonlySet<string>
  /** Why the repository's part is missing. */
  readonly error: string | null
}

const maxDockerfileBytes = 256 * 1024

/** Every template of a project as it is declared now. A repository that cannot be read hides its own templates only. */
export async function readDefinitions(parts: Parts, projectId: string): Promise<Definitions> {
  const rows = await listTemplateRows(parts.kernel.database.db, projectId)
  try {
    const repository = await parts.repositories.openCurrent(projectId)
    return await readAll(repository, rows)
  } catch (error) {
    const own = await Promise.all(rows.map((row) => fromRow(row, undefined, null)))
    const usedByManifest = new Set<string>()
    return { templates: [platformTemplate, ...own], defaultSlug, commit: null, usedByManifest, error: explain(error) }
  }
}

async function readAll(repository: ProjectRepository, rows: readonly TemplateRow[]): Promise<Definitions> {
  const { git, defaultBranch, manifestPath } = repository
  const commit = await readBranch(git, defaultBranch)
  const file = commit === null ? undefined : await readManifest(git, commit, manifestPath)
  const manifest = file?.parsed ? materializeManifest(file.parsed) : undefined
  const declared = await Promise.all(
    (manifest?.templates.entries ?? []).map(
      async (entry): Promise<Definition> => ({
        templateId: null,
        slug: entry.slug,
        name: entry.name,
        source: 'toml',
        image: entry.image,
        dockerfilePath: entry.dockerfile,
        entrypoint: entry.entrypoint,
        cpu: entry.cpu ?? defaultResources.cpu,
        memoryGb: entry.memoryGib ?? defaultResources.memoryGb,
        diskGb: entry.diskGib ?? defaultResources.diskGb,
        fingerprint: await fingerprint(git, commit, entry.image, entry.dockerfile),
      }),
    ),
  )
  const slugs = new Set(declared.map(({ slug }) => slug))
  // The repository speaks first: a template made by hand gives way to one of the same name in the manifest.
  const own = await Promise.all(rows.filter(({ slug }) => !slugs.has(slug)).map((row) => fromRow(row, git, commit)))
  const templates = [platformTemplate, ...declared, ...own]
  const wanted = manifest?.sandboxDefault ?? defaultSlug
  return {
    templates,
    defaultSlug: templates.some(({ slug }) => slug === wanted) ? wanted : defaultSlug,
    commit,
    usedByManifest: new Set([...slugs, ...usedSlugs(manifest)]),
    error: file && !file.parsed ? 'The manifest cannot be read.' : null,
  }
}

async function fromRow(row: TemplateRow, git: Git | undefined, commit: string | null): Promise<Definition> {
  const { templateId, slug, image, dockerfilePath, entrypoint, cpu, memoryGb, diskGb } = row
  return {
    ...{ templateId, slug, image, dockerfilePath, entrypoint, cpu, memoryGb, diskGb },
    name: row.name ?? slug,
    source: 'ui',
    fingerprint: await fingerprint(git, commit, image, dockerfilePath),
  }
}

type Git = ProjectRepository['git']

async function fingerprint(
  git: Git | undefined,
  commit: string | null,
  image: string | null,
  path: string | null,
): Promise<string> {
  if (image !== null || path === null || !git || commit === null) return fingerprintOf({ image, dockerfile: null })
  const text = await readDockerfile(git, commit, path)
  return fingerprintOf({ image, dockerfile: text === undefined ? null : { text, commit } })
}

/** Undefined when there is no such file, or none that could be a Dockerfile. */
export async function readDockerfile(git: Git, commit: string, path: string): Promise<string | undefined> {
  try {
    const file = await readFile(git, { ref: commit, path, maxBytes: maxDockerfileBytes })
    return file.text ?? undefined
  } catch (error) {
    if (GitError.isInstance(error)) return undefined
    throw error
  }
}

function usedSlugs(manifest: ResolvedManifest | undefined): string[] {
  if (!manifest) return []
  return [manifest.sandboxDefault, ...manifest.agents.entries.flatMap(({ sandbox }) => sandbox ?? [])]
}

function explain(error: unknown): string {
  const isTold = error instanceof Problem || GitError.isInstance(error)
  return isTold ? error.message : 'The repository cannot be read right now.'
}
