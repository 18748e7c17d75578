import {
  DEFAULT_CONFIG_DIR,
  materializeManifest,
  type PlainMap,
  type ResolvedAgent,
  validateAgentFile,
} from '@svc/manifest'
import { GitError, listFiles, readFile } from '../../git/index.ts'
import type { ManifestFile, Reading } from '../../repositories/index.ts'
import { toList } from '../manifest/set-agent-scope.ts'

export interface ConfigRights {
  readonly manifest: boolean
  readonly agents: boolean
  readonly skills: boolean
  readonly commands: boolean
}

interface Described {
  readonly name: string
  readonly path: string
  readonly description: string | null
  readonly mode: string | null
}

const maxDescribed = 300

/** What the repository declares. Sections the caller may not read are empty, files it may not see are left out. */
export async function readConfig(
  reading: Reading,
  commit: string,
  manifest: ManifestFile | undefined,
  rights: ConfigRights,
) {
  const parsed: PlainMap = manifest?.parsed ?? {}
  const resolved = materializeManifest(parsed)
  const folder = (resolved.configDir || DEFAULT_CONFIG_DIR).replace(/\/+$/, '')
  const paths = await listFolder(reading, commit, folder)
  const agentFiles = paths.filter((path) => /^agents?\/[^/]+\.md$/.test(path))
  const skillFiles = paths.filter((path) => /^skills?\/[^/]+\/SKILL\.md$/.test(path))
  const commandFiles = paths.filter((path) => /^commands?\/[^/]+\.md$/.test(path))
  const describe = (files: readonly string[], nameOf: (path: string) => string) =>
    describeFiles(
      reading,
      commit,
      files.map((path) => ({ path: `${folder}/${path}`, name: nameOf(path) })),
    )
  const agents = rights.agents ? await describe(agentFiles, (path) => baseName(path)) : []
  const skills = rights.skills ? await describe(skillFiles, (path) => path.split('/')[1] ?? '') : []
  const commands = rights.commands ? await describe(commandFiles, (path) => baseName(path)) : []
  const isDeclarative = resolved.version === 2
  const discovery = isDeclarative ? ('declarative' as const) : agentFiles.length > 0 ? ('opencode' as const) : null
  const declared = rights.agents ? await keepVisible(reading, folder, resolved.agents.entries) : []
  return {
    is_svc_repo: manifest !== undefined || paths.length > 0,
    signals: {
      manifest: manifest !== undefined,
      opencode: paths.length > 0,
      agents: agentFiles.length > 0,
      skills: skillFiles.length > 0,
      commands: commandFiles.length > 0,
    },
    manifest_raw: rights.manifest ? (manifest?.text ?? null) : null,
    manifest: rights.manifest ? parsed : {},
    default_agent: rights.agents ? resolved.defaultAgent : null,
    agent_discovery: discovery,
    agents: isDeclarative ? joinDeclared(declared, agents, manifest?.path ?? '') : joinFiles(agents, declared),
    skills: skills.map(withoutMode),
    commands: commands.map(withoutMode),
    env: rights.manifest ? resolved.env : { required: [], optional: [] },
  }
}

/** Version 2: the manifest says which agents there are; a file adds how one behaves. */
function joinDeclared(declared: readonly ResolvedAgent[], files: readonly Described[], manifestPath: string) {
  return declared.map((agent) => {
    const file = files.find(({ name }) => name === agent.name)
    return {
      name: agent.name,
      path: file?.path ?? manifestPath,
      description: file?.description ?? null,
      mode: file?.mode ?? null,
      source: 'svc.yaml' as const,
      enabled: agent.enabled,
      sandbox: agent.sandbox,
      scope: scopeOf(agent),
    }
  })
}

/** Version 1, or no manifest: agents are the files there are, and an entry narrows one. */
function joinFiles(files: readonly Described[], declared: readonly ResolvedAgent[]) {
  return files.map((file) => {
    const agent = declared.find(({ name }) => name === file.name)
    return { ...file, source: 'opencode' as const, ...(agent ? { scope: scopeOf(agent) } : {}) }
  })
}

function scopeOf({ secrets, connectors, svcCli }: ResolvedAgent) {
  return { env: toList(secrets), connectors: toList(connectors), svc_cli: toList(svcCli) }
}

/** The object rule speaks about names; an agent without a file is judged by the file it would have. */
async function keepVisible(
  reading: Reading,
  folder: string,
  agents: readonly ResolvedAgent[],
): Promise<ResolvedAgent[]> {
  const kept: ResolvedAgent[] = []
  for (const agent of agents) {
    if (!(await reading.viewer.isHidden(`${folder}/agents/${agent.name}.md`))) kept.push(agent)
  }
  return kept
}

async function listFolder(reading: Reading, commit: string, folder: string): Promise<string[]> {
  try {
    const page = await reading.viewer.read((hides) =>
      listFiles(reading.git, { ref: commit, path: folder, ...(hides ? { hides } : {}) }),
    )
    return page.entries.map(({ path }) => path.slice(folder.length + 1))
  } catch (error) {
    if (GitError.isInstance(error, 'path_not_found') || GitError.isInstance(error, 'invalid_path')) return []
    throw error
  }
}

async function describeFiles(
  reading: Reading,
  commit: string,
  files: readonly { path: string; name: string }[],
): Promise<Described[]> {
  const described: Described[] = []
  for (const { path, name } of files.slice(0, maxDescribed)) {
    const file = await readFile(reading.git, { ref: commit, path, maxBytes: 256 * 1024 }).catch(() => undefined)
    const front = validateAgentFile(file?.text ?? '').frontMatter ?? {}
    described.push({ name, path, description: text(front.description), mode: text(front.mode) })
  }
  return described
}

function withoutMode({ mode: _, ...rest }: Described) {
  return rest
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '')
}

export const emptyConfig = {
  is_svc_repo: false,
  signals: {},
  manifest_raw: null,
  manifest: {},
  default_agent: null,
  agent_discovery: null,
  agents: [],
  skills: [],
  commands: [],
  env: { required: [], optional: [] },
}
