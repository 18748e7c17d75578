import { type GrantSet, materializeManifest, type ResolvedManifest, validateAgentFile } from '@svc/manifest'
import { GitError, listFiles, readBranch, readFile } from '../../git/index.ts'
import { Problem } from '../../kernel/http/index.ts'
import type { ProjectRepository } from '../../repositories/index.ts'
import type { Parts } from '../parts.ts'

interface Declared {
  readonly id: string
  readonly name: string
  readonly description: string | null
}

/** What a project has that can be granted one by one. */
export interface Resources {
  readonly agents: readonly (Declared & {
    readonly declares?: { secrets: 'all' | string[]; connectors: 'all' | string[] }
  })[]
  readonly skills: readonly Declared[]
  readonly apps: ReadonlySet<string>
  readonly triggers: ReadonlySet<string>
}

const maxDescribed = 300
const maxFileBytes = 256 * 1024

/** As the default branch declares it; a repository that cannot be read declares nothing. */
export async function readResources(parts: Parts, projectId: string): Promise<Resources> {
  try {
    return await readRepository(parts, await parts.repositories.findRepository(projectId))
  } catch (error) {
    if (Problem.isInstance(error) && error.code === 'not_found') return none
    if (!GitError.isInstance(error)) throw error
    parts.kernel.log.warn('the repository of a project could not be read', { project_id: projectId, error })
    return none
  }
}

async function readRepository(parts: Parts, repository: ProjectRepository): Promise<Resources> {
  const commit = await readBranch(repository.git, repository.defaultBranch)
  if (commit === null) return none
  const manifest = await parts.repositories.readDefaultManifest(repository)
  const resolved = materializeManifest(manifest?.parsed ?? {})
  const folder = resolved.configDir.replace(/\/+$/, '')
  const paths = await listFolder(repository, commit, folder)
  const describe = (path: string) => readDescription(repository, commit, path)

  const agentFiles = match(paths, /\/agents?\/([^/]+)\.md$/)
  const agents = []
  for (const name of listAgents(resolved, agentFiles)) {
    const path = agentFiles.get(name)
    const entry = resolved.agents.entries.find((agent) => agent.name === name)
    agents.push({
      id: name,
      name,
      description: path === undefined ? null : await describe(path),
      ...(entry ? { declares: { secrets: toList(entry.secrets), connectors: toList(entry.connectors) } } : {}),
    })
  }
  const skills = []
  for (const [name, path] of match(paths, /\/skills?\/([^/]+)\/SKILL\.md$/)) {
    skills.push({ id: name, name, description: await describe(path) })
  }
  return {
    agents,
    skills,
    apps: new Set(resolved.apps.entries.map(({ name }) => name)),
    triggers: new Set(resolved.triggers.entries.map(({ slug }) => slug)),
  }
}

/** Version 2: those the manifest declares. Before it: those that have a file. */
function listAgents({ version, agents }: ResolvedManifest, files: ReadonlyMap<string, string>): string[] {
  const declared = agents.entries.map(({ name }) => name)
  return version === 2 ? declared : [...new Set([...files.keys(), ...declared])]
}

function match(paths: readonly string[], pattern: RegExp): Map<string, string> {
  const found = paths.flatMap((path): [string, string][] => {
    const name = pattern.exec(path)?.[1]
    return name === undefined ? [] : [[name, path]]
  })
  return new Map(found.slice(0, maxDescribed))
}

async function listFolder({ git }: ProjectRepository, commit: string, folder: string): Promise<string[]> {
  try {
    const { entries } = await listFiles(git, { ref: commit, path: folder })
    return entries.map(({ path }) => path)
  } catch (error) {
    if (GitError.isInstance(error, 'path_not_found') || GitError.isInstance(error, 'invalid_path')) return []
    throw error
  }
}

/** A file that is too large or no text describes nothing. */
async function readDescription({ git }: ProjectRepository, commit: string, path: string): Promise<string | null> {
  const file = await readFile(git, { ref: commit, path, maxBytes: maxFileBytes }).catch((error: unknown) => {
    if (GitError.isInstance(error)) return undefined
    throw error
  })
  const description = validateAgentFile(file?.text ?? '').frontMatter?.description
  return typeof description === 'string' ? description : null
}

function toList(grant: GrantSet): 'all' | string[] {
  if (grant === 'all') return 'all'
  return grant === 'none' ? [] : [...grant]
}

const none: Resources = { agents: [], skills: [], apps: new Set(), triggers: new Set() }
