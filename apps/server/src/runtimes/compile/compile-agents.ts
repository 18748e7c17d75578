import { createHash } from 'node:crypto'
import { materializeManifest, type PlainMap } from '@svc/manifest'
import type { Repository } from '../../git/index.ts'
import type { ManifestFile } from '../../repositories/index.ts'
import type { CompiledConfig } from '../runtime.ts'
import { compileAgent } from './compile-agent.ts'
import { readAgentFile } from './read-agent-file.ts'

export interface CompileInput {
  readonly git: Repository
  /** The commit whose files count: the session's base. */
  readonly commit: string
  readonly manifest: ManifestFile | undefined
  readonly agentName: string
  /** Without the repository only the one agent is compiled. */
  readonly onlyAgent: boolean
}

/**
 * The manifest's agents and their files as configuration of a runtime. Undefined for a manifest of version 1 or none:
 * the repository's own files apply. Throws with file and line when an agent's file cannot be used.
 */
export async function compileAgents(input: CompileInput): Promise<CompiledConfig | undefined> {
  const { git, commit, manifest, agentName, onlyAgent } = input
  const parsed = manifest?.parsed
  if (!manifest || !parsed || parsed.svc_version !== 2) return undefined
  const { agents, configDir, defaultAgent } = materializeManifest(parsed)
  const refused = agents.problems.find(({ slug }) => slug === agentName)
  if (refused) throw new Error(`${manifest.path}: the agent ${agentName} cannot be used: ${refused.message}`)

  const compiled: Record<string, PlainMap> = {}
  for (const { name, enabled } of agents.entries) {
    if (onlyAgent && name !== agentName) continue
    const file = await readAgentFile(git, { commit, configDir, name })
    compiled[name] = compileAgent({ enabled, skills: readSkills(parsed, name), file })
  }
  if (onlyAgent && compiled[agentName] === undefined) {
    throw new Error(`${manifest.path} declares no agent ${agentName}.`)
  }
  const model = compiled[defaultAgent ?? agentName]?.model
  const config = { ...(typeof model === 'string' ? { model } : {}), agent: compiled }
  return { config, etag: digest(config) }
}

/** As it is written: an agent without `skills` keeps the rule of its file. */
function readSkills({ agents }: PlainMap, name: string): unknown {
  const block = isMap(agents) ? agents[name] : undefined
  return isMap(block) && Object.hasOwn(block, 'skills') ? block.skills : undefined
}

function isMap(value: unknown): value is PlainMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function digest(config: unknown): string {
  return createHash('sha256').update(JSON.stringify(config)).digest('hex').slice(0, 16)
}
