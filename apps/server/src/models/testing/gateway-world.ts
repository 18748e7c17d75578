import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCaller } from '../../accounts/testing/client.ts'
import { startProjectWorld } from '../../projects/testing/project-world.ts'
import { startFakeUpstream } from './fake-upstream.ts'

const cost = { input: 10, output: 100 }
export const operatorKey = 'sk-operator-of-the-fake-upstream'

/** The whole platform with models on a fake upstream, a project, and a gateway key. */
export async function startGatewayWorld(file: Record<string, unknown> = {}, env: Record<string, string> = {}) {
  const upstream = await startFakeUpstream()
  const folder = await mkdtemp(join(tmpdir(), 'svc-models-'))
  const path = join(folder, 'models.json')
  process.env.FAKE_UPSTREAM_KEY = operatorKey
  const fake = (model: string) => ({ provider: 'fake', model, cost, context: 10_000, output: 1_000 })
  const faults = [
    'status-429',
    'status-500',
    'status-503',
    'status-401',
    'status-400',
    'silent',
    'malformed',
    'cut',
    'stream-error',
  ]
  const oddities = ['dies', 'redirect', 'broken-tool', 'wrong-usage', 'echo', 'full-context']
  const models = Object.fromEntries([...faults, ...oddities, 'endless', 'good'].map((name) => [name, fake(name)]))
  await writeFile(
    path,
    JSON.stringify({
      providers: {
        fake: { base_url: upstream.url, key_env: 'FAKE_UPSTREAM_KEY' },
        claude: { base_url: upstream.url, protocol: 'anthropic', key_env: 'FAKE_UPSTREAM_KEY' },
        gemini: { base_url: `${upstream.url}beta`, protocol: 'google', key_env: 'FAKE_UPSTREAM_KEY' },
        codex: { base_url: upstream.url, secret_names: ['CODEX_ACCESS_TOKEN'], responses: false },
        plan: { base_url: upstream.url, key_env: 'FAKE_UPSTREAM_KEY', responses: 'only', subscription: true },
        openai: { base_url: upstream.url, secret_names: ['OPENAI_API_KEY'] },
      },
      models: {
        ...models,
        unpriced: { provider: 'fake', model: 'nobody-knows-it' },
        thinking: { provider: 'fake', cost, output: 1_000, reasoning: true },
        gemini: { provider: 'gemini', model: 'gemini-3-x', cost, output: 1_000, images: true },
        'gemini-429': { provider: 'gemini', model: 'status-429', cost, output: 1_000 },
        'codex-plan': { provider: 'plan', model: 'gpt-5-codex' },
        'responses-fail': { provider: 'plan' },
        claude: { provider: 'claude', model: 'claude-x', cost, output: 1_000 },
      },
      default_model: 'good',
      timeouts: { connect_ms: 2_000, first_byte_ms: 3_000, idle_ms: 3_000 },
      ...file,
    }),
  )
  const gateway = { SVC_MODELS_FILE: path, SVC_GATEWAY_URL: 'http://models.localhost' }
  const world = await startProjectWorld({ ...gateway, ...env })
  const call = createCaller(world.platform.url)
  const project = await world.provision()
  const at = `/v1/projects/${project.project_id}`
  const made = await call(world.owner, `POST ${at}/gateway/keys`, { name: 'test' })
  if (made.status !== 200) throw new Error(`no key: ${JSON.stringify(made.body)}`)
  const key: string = made.body.secret_key
  return {
    world,
    upstream,
    project,
    key,
    keyId: String(made.body.key_id),
    origin: world.platform.url,
    base: `${world.platform.url}/v1/llm`,
    /** As the owner, below the project. */
    own: (route: string, body?: unknown) => {
      const [method, rest = ''] = route.split(' ')
      return call(world.owner, `${method} ${at}${rest}`, body)
    },
    chat: (body: object, token: Parameters<typeof call>[0] = key) => call(token, 'POST /v1/llm/chat/completions', body),
    call,
    async stop() {
      await world.stop()
      await upstream.stop()
    },
  }
}

export type GatewayWorld = Awaited<ReturnType<typeof startGatewayWorld>>
