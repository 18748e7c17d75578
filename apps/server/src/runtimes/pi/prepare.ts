import { posix } from 'node:path'
import { defaultConfigDir, type MachinePaths } from '../machine-paths.ts'
import type { BootFile, PreparedRuntime, RuntimeInput } from '../runtime.ts'
import { chooseSkills, chooseTools } from './choose-tools.ts'
import { piProgram } from './find-pi.ts'
import { questionExtension } from './question-extension.ts'

type Json = Readonly<Record<string, unknown>>

/** What a machine needs to run pi behind our bridge. */
export function preparePi(input: RuntimeInput, paths: MachinePaths): PreparedRuntime {
  const own = posix.join(paths.home, '.svc')
  const agent = readAgent(input)
  const files: BootFile[] = [
    { path: posix.join(paths.home, '.pi/agent/models.json'), content: renderModels(input), mode: 0o644 },
    { path: posix.join(own, 'pi-question.mjs'), content: questionExtension, mode: 0o644 },
  ]
  const instructions = [agent.prompt, input.secretInstructions].filter((text) => typeof text === 'string')
  const promptPath = posix.join(own, 'pi-prompt.md')
  if (instructions.length > 0) files.push({ path: promptPath, content: instructions.join('\n\n'), mode: 0o644 })
  const [providerID = 'svc', ...model] = input.model.split('/')

  const settings = {
    port: paths.port,
    workspace: paths.workspace,
    tools: paths.tools,
    stateFolder: posix.join(own, 'pi'),
    command: [
      paths.node,
      posix.join(paths.pi, piProgram),
      ...['--mode', 'rpc', '--provider', providerID, '--model', model.join('/')],
      ...['--no-themes', '--no-prompt-templates', '--no-extensions'],
      ...(input.asksQuestions ? ['--extension', posix.join(own, 'pi-question.mjs')] : []),
      ...['--tools', [...chooseTools(agent.permission), ...(input.asksQuestions ? ['question'] : [])].join(',')],
      ...(instructions.length > 0 ? ['--append-system-prompt', promptPath] : []),
      ...(input.hasRepository === false ? ['--no-context-files'] : []),
      ...skillArguments(input, agent.permission, paths),
    ],
    agent: { name: input.agentName, ...pick(agent, 'description'), ...pick(agent, 'prompt') },
    model: { providerID, modelID: model.join('/') },
    models: input.models,
  }
  const settingsPath = posix.join(own, 'pi-bridge.json')
  files.push({ path: settingsPath, content: JSON.stringify(settings), mode: 0o644 })
  return {
    process: {
      kind: 'pi',
      argv: [paths.node, paths.piBridge, settingsPath],
      port: paths.port,
      readyLine: 'listening on',
      env: { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' },
    },
    files,
  }
}

/** pi's list of models: the gateway alone. The key is named, not written. */
function renderModels({ gatewayUrl, models }: RuntimeInput): string {
  const svc = {
    baseUrl: gatewayUrl,
    api: 'openai-completions',
    apiKey: 'SVC_TOKEN',
    compat: {
      supportsDeveloperRole: false,
      supportsReasoningEffort: false,
      supportsStore: false,
      maxTokensField: 'max_tokens',
    },
    models: models.map((model) => ({
      id: model.id,
      name: model.name,
      input: model.acceptsImages ? ['text', 'image'] : ['text'],
      contextWindow: model.contextTokens,
      maxTokens: model.outputTokens,
      cost: { input: model.inputPrice, output: model.outputPrice, cacheRead: 0, cacheWrite: 0 },
    })),
  }
  return JSON.stringify({ providers: { svc } })
}

function skillArguments(input: RuntimeInput, permission: unknown, { workspace }: MachinePaths): string[] {
  const allowed = chooseSkills(permission)
  const own = posix.join(workspace, input.configDir ?? defaultConfigDir, 'skills')
  const folders = [...(input.hasRepository === false ? [] : [own]), ...(input.skillsPath ? [input.skillsPath] : [])]
  const paths =
    allowed === 'all' ? folders : folders.flatMap((folder) => allowed.map((name) => posix.join(folder, name)))
  return ['--no-skills', ...paths.flatMap((path) => ['--skill', path])]
}

function readAgent({ compiled, agentName }: RuntimeInput): Json {
  const agents = asObject(compiled?.config.agent)
  return asObject(agents[agentName])
}

function pick(agent: Json, key: string): Json {
  return typeof agent[key] === 'string' ? { [key]: agent[key] } : {}
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
