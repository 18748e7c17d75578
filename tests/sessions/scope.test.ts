import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  promptBody,
  pushFiles,
  readOutput,
  type SessionWorld,
  scriptOf,
  send,
  startSessionWorld,
  waitUntilIdle,
  waitUntilReady,
} from './session-world.ts'

/** What a session may use follows the agent that works in it, the manifest as it is now, and who else may open it. */

const manifest = (secrets: string) => `svc_version: 2
default_agent: svc
agents:
  svc:
    svc_cli: all
    secrets: ${secrets}
  reader:
    svc_cli: [project.session.read]
    secrets: []
`

let world: SessionWorld
let sessionId: string
let at: string
beforeAll(async () => {
  world = await startSessionWorld()
  await pushFiles(world, { 'svc.yaml': manifest('[alpha, own]') })
  await world.call('POST /secrets', { name: 'ALPHA', identifier: 'alpha', value: 'value-of-alpha' })
  await world.call('POST /secrets', { name: 'OWN', identifier: 'own', value: 'value-of-all' })
  await world.call('PUT /secrets/OWN/personal', { value: 'value-of-one' })
  const made = await world.call('POST /sessions', {})
  sessionId = String(made.body.session_id)
  at = `/sessions/${sessionId}`
  await waitUntilReady(world, sessionId)
}, 240_000)
afterAll(() => world?.stop())

const timeout = 120_000

async function run(command: string, agent?: string): Promise<string[]> {
  const body = promptBody(scriptOf(`run ${command}`, 'finish'))
  const sent = await world.call(`POST ${at}/prompts`, agent === undefined ? body : { ...body, overrides: { agent } })
  expect(sent.status).toBe(202)
  await waitUntilIdle(world, sessionId)
  return (await readOutput(world, sessionId)).trim().split(/\s+/)
}

const secrets = 'echo "[$ALPHA] [$OWN]"'
/** How many processes of the session hold a value in the environment they were started with. */
function countHolding(value: string): number {
  const environments = readdirSync('/proc').map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8')
    } catch {
      // No process, one that ended meanwhile, or one of somebody else.
      return ''
    }
  })
  return environments.filter((text) => text.includes(`SVC_SESSION_ID=${sessionId}`) && text.includes(value)).length
}

const ask = (method: string, path: string, body: string) =>
  `curl -s -o /dev/null -w ' %{http_code}' -X ${method} -H "Authorization: Bearer $SVC_TOKEN" -H 'content-type: application/json' -d '${body}' $SVC_API_URL/projects/$SVC_PROJECT_ID${path}`

test('a prompt that names another agent has that agent’s grants and secrets, and the next one the session’s own again; no agent lets anybody in, and to read sessions is not to publish them', {
  timeout,
}, async () => {
  const rename = ask('PATCH', '/sessions/$SVC_SESSION_ID', '{"name":"By the agent"}')
  const share = ask('PUT', '/sessions/$SVC_SESSION_ID/sharing', '{"mode":"project"}')
  const link = ask('POST', '/sessions/$SVC_SESSION_ID/public-shares', '{"preview":{"port":3000}}')
  const all = `${secrets}; echo $SVC_AGENT_NAME; ${rename}; ${share}; ${link}`
  expect(await run(all)).toEqual(['[value-of-alpha]', '[value-of-one]', 'svc', '200', '403', '201'])
  expect(countHolding('value-of-alpha')).toBeGreaterThan(0)
  expect(await run(all, 'reader')).toEqual(['[]', '[]', 'reader', '403', '403', '403'])
  expect(countHolding('value-of-alpha')).toBe(0)
  expect(await run(`${secrets}; ${rename}`)).toEqual(['[value-of-alpha]', '[value-of-one]', '200'])

  const { body } = await world.call(`GET ${at}/audit?include_events=false`)
  const actions = (body.actions as { action: string; status: string }[]).map(({ action, status }) => [action, status])
  expect(actions).toContainEqual(['session.share', 'ok'])
  expect(actions).toContainEqual(['session.update', 'ok'])
  expect(actions).toContainEqual([expect.stringContaining('/public-shares'), 'denied'])
})

test('a prompt that names an agent the manifest does not have is refused', async () => {
  const body = { ...promptBody('x'), overrides: { agent: 'nobody' } }
  const refused = await world.call(`POST ${at}/prompts`, body)
  expect([refused.status, refused.body.code]).toEqual([400, 'agent_not_available'])
})

test('the agent is told which secrets it may use', { timeout }, async () => {
  const { body } = await world.call(`POST ${at}/start`)
  const path = `/v1${body.runtime_url}/file/content?path=/home/agent/.svc/secret-capabilities.md`
  const told = await send(world.url, world.owner, `GET ${path}`)
  expect(told.body.content).toMatch(/`alpha`.*`ALPHA`[\s\S]*`own`.*`OWN`/)
})

test('of two prompts past the queue for two agents at once one is answered with its own grants, the other refused', {
  timeout,
}, async () => {
  const { body } = await world.call(`POST ${at}/start`)
  const path = `/v1${body.runtime_url}/session/${body.opencode_session_id}/message`
  const prompt = (agent: string) => ({
    agent,
    parts: [{ type: 'text', text: scriptOf('wait 1s', `run ${secrets}; echo $SVC_AGENT_NAME`, 'finish') }],
  })
  const agents = ['svc', 'reader']
  const sent = await Promise.all(agents.map((agent) => send(world.url, world.owner, `POST ${path}`, prompt(agent))))
  expect(sent.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(sent.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'session_busy' })
  await waitUntilIdle(world, sessionId)
  const answered = agents[sent.findIndex(({ status }) => status === 200)]
  const held = answered === 'svc' ? ['[value-of-alpha]', '[value-of-one]', 'svc'] : ['[]', '[]', 'reader']
  expect((await readOutput(world, sessionId)).trim().split(/\s+/)).toEqual(held)
})

test('a prompt past the queue gets what the manifest grants by then', { timeout }, async () => {
  await pushFiles(world, { 'svc.yaml': manifest('[own]') })
  const { body } = await world.call(`POST ${at}/start`)
  const path = `/v1${body.runtime_url}/session/${body.opencode_session_id}/message`
  const text = scriptOf(`run ${secrets}`, 'finish')
  const answered = await fetch(`${world.url}${path}`, {
    method: 'POST',
    headers: world.owner.headers,
    body: JSON.stringify({ parts: [{ type: 'text', text }] }),
  })
  expect(answered.status).toBe(200)
  await waitUntilIdle(world, sessionId)
  expect((await readOutput(world, sessionId)).trim()).toBe('[] [value-of-one]')
})

test('secrets of the owner’s own leave a session before anybody else gets in', { timeout }, async () => {
  const shared = await world.call(`PUT ${at}/sharing`, { mode: 'project' })
  expect([shared.status, shared.body.status]).toEqual([200, 'provisioning'])
  await waitUntilReady(world, sessionId)
  expect(countHolding('value-of-one')).toBe(0)
  expect(await run('echo "[$OWN]"')).toEqual(['[value-of-all]'])
})

test('a warm session stands on the newest commit when it is asked for again', { timeout }, async () => {
  await world.call('PATCH /features', { feature: 'warm_sessions', enabled: true })
  const warm = await world.call('POST /sessions/warm', {})
  const warmId = String((warm.body.session as { session_id: string }).session_id)
  await expect
    .poll(async () => (await world.call(`GET /sessions/${warmId}`)).body.status, { timeout: 60_000 })
    .toBe('running')
  const same = await world.call('POST /sessions/warm', {})
  expect(same.body).toMatchObject({ reused: true, workspace_refresh: { status: 'unchanged' } })
  await pushFiles(world, { 'newer.txt': 'newer' })
  const again = await world.call('POST /sessions/warm', {})
  expect(again.body).toMatchObject({ reused: true, workspace_refresh: { status: 'updated' } })
  const sent = await world.call(`POST /sessions/${warmId}/prompts`, promptBody(scriptOf('run cat newer.txt', 'finish')))
  expect(sent.status).toBe(202)
  await waitUntilIdle(world, warmId)
  expect((await readOutput(world, warmId)).trim()).toBe('newer')
  const committed = await world.call(`POST /sessions/${warmId}/commit-push`, {})
  expect([committed.status, committed.body.nothing_to_do]).toEqual([200, true])
})
