import { expect, test } from 'vitest'
import { machinePaths } from '../machine-paths.ts'
import type { RuntimeInput } from '../runtime.ts'
import { testInput } from '../testing/run-runtime.ts'
import { buildConfig } from './build-config.ts'

const build = (more: Partial<RuntimeInput> = {}) => {
  const { overlay, ...rest } = buildConfig({ ...testInput('http://127.0.0.1:4098/v1/llm'), ...more }, machinePaths)
  return { ...rest, overlay, config: JSON.parse(overlay) }
}
const compiled = (agent: Record<string, unknown>) => ({ etag: '0', config: { agent } })

test('the gateway is the only provider, with limits, prices and a key that only the machine knows', () => {
  const { config } = build()
  expect(config).toMatchObject({ enabled_providers: ['svc'], autoupdate: false, share: 'disabled' })
  expect(config).toMatchObject({ model: 'svc/scripted', small_model: 'svc/scripted' })
  expect(config.provider.svc).toMatchObject({
    npm: '@ai-sdk/openai-compatible',
    options: { baseURL: 'http://127.0.0.1:4098/v1/llm', apiKey: '{env:SVC_TOKEN}' },
    models: { scripted: { limit: { context: 128_000, output: 16_000 }, cost: { input: 0, output: 0 } } },
  })
})

test('nothing waits for ever by default: loops and steps outside the workspace are refused', () => {
  expect(build().defaults.permission).toEqual({
    external_directory: { '*': 'deny', '/tmp/*': 'allow' },
    doom_loop: 'deny',
    question: 'allow',
  })
})

test('a prompt is a file of its own; what looks like a reference in other texts stays text', () => {
  const { config, files, overlay } = build({
    compiled: compiled({ svc: { description: 'Says {env:SVC_TOKEN}', prompt: 'Long {file:/etc/passwd}' } }),
  })
  expect(config.agent.svc).toEqual({
    description: 'Says {env:SVC_TOKEN}',
    prompt: '{file:/home/agent/.svc/prompts/svc.md}',
  })
  expect(files.find(({ path }) => path.endsWith('svc.md'))?.content).toBe('Long {file:/etc/passwd}')
  expect(overlay.match(/\{env:SVC_TOKEN\}/g)).toHaveLength(1)
})

test('where nobody answers, no agent asks, whatever its own rules say', () => {
  const agents = { svc: { permission: 'allow' }, other: { permission: { question: 'allow', edit: 'ask' } } }
  const { config } = build({ asksQuestions: false, compiled: compiled(agents) })
  expect(config.permission).toEqual({ question: 'deny' })
  expect(config.agent.svc.permission).toEqual({ '*': 'allow', question: 'deny' })
  expect(config.agent.other.permission).toEqual({ question: 'deny', edit: 'ask' })
})

test('skills of the platform, what is known of secrets and the connectors come on top', () => {
  const { config, files } = build({
    skillsPath: '/opt/svc/skills',
    secretInstructions: 'Use A.',
    offersConnectors: true,
  })
  expect(config.skills).toEqual({ paths: ['/opt/svc/skills'] })
  expect(config.instructions).toEqual(['/home/agent/.svc/secret-capabilities.md'])
  expect(files.map(({ content }) => content)).toContain('Use A.')
  expect(config.mcp['svc-connectors']).toMatchObject({
    type: 'local',
    command: ['svc', 'connectors', 'mcp'],
    environment: { SVC_TOKEN: '{env:SVC_TOKEN}', SVC_PROJECT_ID: '{env:SVC_PROJECT_ID}' },
  })
})

test('only an agent that people can choose becomes the default one', () => {
  expect(build({ compiled: compiled({ svc: { mode: 'primary' } }) }).config.default_agent).toBe('svc')
  expect(build({ compiled: compiled({ svc: { mode: 'subagent' } }) }).config.default_agent).toBeUndefined()
  expect(build().config.default_agent).toBeUndefined()
})
