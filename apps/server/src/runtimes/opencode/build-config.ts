import { posix } from 'node:path'
import type { MachinePaths } from '../machine-paths.ts'
import type { BootFile, RuntimeInput, RuntimeModel } from '../runtime.ts'

type Json = Record<string, unknown>

export interface BuiltConfig {
  /** What the repository's own settings may change. */
  readonly defaults: Json
  /** What wins over the repository's settings, as the text that the runtime reads. */
  readonly overlay: string
  readonly files: readonly BootFile[]
}

/** A process gets no variable longer than this from the kernel. */
const longestOverlayBytes = 128 * 1024 - 256

/** The runtime's configuration: the compiled agents, and on top of them what the platform decides, in this order. */
export function buildConfig(input: RuntimeInput, paths: MachinePaths): BuiltConfig {
  const files: BootFile[] = []
  const agents = movePromptsToFiles(readAgents(input), paths, files)
  const config: Json = {
    ...input.compiled?.config,
    ...(Object.keys(agents).length > 0 ? { agent: agents } : {}),
    ...(isSelectable(agents[input.agentName]) ? { default_agent: input.agentName } : {}),
    autoupdate: false,
    share: 'disabled',
    model: input.model,
    small_model: input.model,
  }
  if (input.skillsPath !== undefined) config.skills = { paths: [input.skillsPath] }
  if (input.secretInstructions !== undefined) {
    const path = posix.join(paths.home, '.svc/secret-capabilities.md')
    files.push({ path, content: input.secretInstructions, mode: 0o644 })
    config.instructions = [path]
  }
  if (input.offersConnectors) config.mcp = { 'svc-connectors': connectorsServer }
  config.enabled_providers = ['svc']
  config.provider = { svc: describeProvider(input.gatewayUrl, input.models) }
  if (!input.asksQuestions) config.permission = { question: 'deny' }

  return { defaults: defaultSettings(paths), overlay: renderOverlay(config), files }
}

/** For a runtime that waits: a model that a plugin plays, and that plugin. Every session brings its own instead. */
export function buildWarmConfig(input: { paths: MachinePaths; plugin: string; modelUrl: string }) {
  const model = { tool_call: true, limit: { context: 8_000, output: 1_000 }, cost: { input: 0, output: 0 } }
  const options = { baseURL: input.modelUrl, apiKey: 'none' }
  const config = {
    autoupdate: false,
    share: 'disabled',
    model: 'svc/warm',
    small_model: 'svc/warm',
    enabled_providers: ['svc'],
    provider: { svc: { npm: providerPackage, name: 'svc', options, models: { warm: { name: 'warm', ...model } } } },
    plugin: [`file://${input.plugin}`],
  }
  return { defaults: defaultSettings(input.paths), overlay: renderOverlay(config) }
}

/** Asking is of use only where somebody answers; a loop or a step outside the workspace must never wait for ever. */
function defaultSettings({ tmp }: MachinePaths): Json {
  return {
    $schema: 'https://opencode.ai/config.json',
    permission: {
      external_directory: { '*': 'deny', [`${tmp}/*`]: 'allow' },
      doom_loop: 'deny',
      question: 'allow',
    },
  }
}

const token = reference('env:SVC_TOKEN')

const connectorsServer = {
  type: 'local',
  command: ['svc', 'connectors', 'mcp'],
  environment: {
    SVC_TOKEN: token,
    SVC_API_URL: reference('env:SVC_API_URL'),
    SVC_PROJECT_ID: reference('env:SVC_PROJECT_ID'),
  },
  enabled: true,
}

const providerPackage = '@ai-sdk/openai-compatible'

function describeProvider(gatewayUrl: string, models: readonly RuntimeModel[]): Json {
  return {
    npm: providerPackage,
    name: 'svc',
    options: { baseURL: gatewayUrl, apiKey: token },
    models: Object.fromEntries(models.map((model) => [model.id, describeModel(model)])),
  }
}

function describeModel(model: RuntimeModel): Json {
  return {
    name: model.name,
    tool_call: true,
    attachment: model.acceptsImages,
    limit: { context: model.contextTokens, output: model.outputTokens },
    cost: { input: model.inputPrice, output: model.outputPrice },
    ...(model.acceptsImages ? { modalities: { input: ['text', 'image'], output: ['text'] } } : {}),
  }
}

function readAgents({ compiled, asksQuestions }: RuntimeInput): Record<string, Json> {
  const agents = Object.entries(asObject(compiled?.config.agent)).map(
    ([name, agent]) => [name, asObject(agent)] as const,
  )
  return Object.fromEntries(agents.map(([name, agent]) => [name, asksQuestions ? agent : denyQuestions(agent)]))
}

/** An agent's own rule stands above the general one, so the general one alone would not hold. */
function denyQuestions(agent: Json): Json {
  const { permission = {} } = agent
  const rules = typeof permission === 'string' ? { '*': permission } : asObject(permission)
  return { ...agent, permission: { ...rules, question: 'deny' } }
}

/** Prompts are long and there may be many: the runtime reads each from its own file, word for word. */
function movePromptsToFiles(
  agents: Record<string, Json>,
  paths: MachinePaths,
  files: BootFile[],
): Record<string, Json> {
  const moved = Object.entries(agents).map(([name, agent]) => {
    if (typeof agent.prompt !== 'string') return [name, agent] as const
    const path = posix.join(paths.home, '.svc/prompts', `${name}.md`)
    files.push({ path, content: agent.prompt, mode: 0o644 })
    return [name, { ...agent, prompt: reference(`file:${path}`) }] as const
  })
  return Object.fromEntries(moved)
}

/** The runtime refuses to start a conversation on a default agent that people cannot choose. */
function isSelectable(agent: Json | undefined): boolean {
  return agent !== undefined && agent.mode !== 'subagent' && agent.hidden !== true && agent.disable !== true
}

/** Marks what the runtime itself fills in; everything else is taken as it is written. */
function reference(name: string): string {
  return `\u0000${name}\u0000`
}

/** The runtime replaces `{env:…}` and `{file:…}` anywhere in the text, so what looks like one by chance is escaped. */
function renderOverlay(config: Json): string {
  const text = JSON.stringify(config)
    .replace(/\{(env|file):/g, String.raw`\u007b$1:`)
    .replace(/\\u0000((?:env|file):[^"\\]*)\\u0000/g, '{$1}')
  if (Buffer.byteLength(text) <= longestOverlayBytes) return text
  throw new Error('The compiled agents are too large: descriptions and settings must stay below 128 KiB together.')
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
