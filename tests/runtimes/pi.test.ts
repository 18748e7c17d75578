import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveBridge } from '../../apps/sandboxd/src/pi-bridge/serve-bridge.ts'
import { readSettings } from '../../apps/sandboxd/src/pi-bridge/settings.ts'
import { serveScripted } from '../../apps/server/src/models/testing/serve-scripted.ts'
import { findPi } from '../../apps/server/src/runtimes/pi/find-pi.ts'
import { createPi } from '../../apps/server/src/runtimes/pi/index.ts'
import { RuntimeRequestError, requestRuntime } from '../../apps/server/src/runtimes/request-runtime.ts'
import type { RuntimeInput } from '../../apps/server/src/runtimes/runtime.ts'
import {
  makeTestMachine,
  placeFiles,
  testInput,
  transportTo,
  watchRuntime,
} from '../../apps/server/src/runtimes/testing/run-runtime.ts'
import { installPi } from './install-pi.ts'

/** The real pi, the bridge and the adapter against the scripted model; only the sandbox around them is missing. */

const missing = await installPi()
if (missing !== undefined) console.warn(`skipped: pi ${missing}`)

describe.skipIf(missing !== undefined)('pi behind the bridge', { timeout: 120_000 }, () => {
  let model: Awaited<ReturnType<typeof serveScripted>>
  let machine: Awaited<ReturnType<typeof makeTestMachine>>
  let runtime: ReturnType<typeof createPi>
  let bridge: Awaited<ReturnType<typeof serveBridge>>
  let conversationId: string
  let turns = 0
  const environment: Record<string, string | undefined> = {}
  const send = (request: Parameters<ReturnType<typeof transportTo>>[0]) => transportTo(machine.paths.port)(request)

  async function start(more: Partial<RuntimeInput> = {}) {
    const prepared = runtime.prepare({ ...testInput(model.url), ...more })
    await placeFiles(prepared.files)
    bridge = await serveBridge(readSettings(prepared.process.argv.at(-1) ?? ''))
    conversationId = (await runtime.open(send, conversationId, 'Named')).conversationId
  }

  beforeAll(async () => {
    model = await serveScripted()
    machine = await makeTestMachine({ opencode: '', pi: findPi()?.folder ?? '', piBridge: '' })
    runtime = createPi(machine.paths)
    const own = { HOME: machine.paths.home, SVC_TOKEN: 'test-token', PI_OFFLINE: '1', PI_TELEMETRY: '0' }
    for (const [name, value] of Object.entries(own)) {
      environment[name] = process.env[name]
      process.env[name] = value
    }
    const compiled = { etag: '0', config: { agent: { svc: { prompt: 'You are polite.' } } } }
    await start({ compiled })
  }, 120_000)

  afterAll(async () => {
    await bridge?.stop()
    await model?.stop()
    await machine?.remove()
    for (const [name, value] of Object.entries(environment)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  })

  const prompt = (script: string) => {
    turns += 1
    const messageId = `msg_${Date.now().toString(16).padStart(12, '0')}${String(turns).padStart(14, 'a')}`
    const parts = [{ type: 'text', text: `\`\`\`script\n${script}\n\`\`\`` }]
    return runtime.prompt(send, conversationId, {
      messageId,
      parts,
      agent: 'svc',
      model: undefined,
      variant: undefined,
    })
  }

  async function runScript(script: string) {
    const watch = await watchRuntime(runtime, send)
    await prompt(script)
    await watch.idle()
    await watch.stop()
    return watch.seen
  }

  test('a prompt leads to tool calls, a file, a command, and idle, in the dialect of every runtime', async () => {
    const events = await runScript(
      'think hm\nsay hello\nwrite a.txt: one\\n\nrun cat a.txt > b.txt; cat b.txt\nfinish bye',
    )
    expect(await readFile(join(machine.paths.workspace, 'b.txt'), 'utf8')).toBe('one\n')
    const messages = await runtime.messages(send, conversationId)
    expect(messages.map(({ info }) => info.role)).toEqual(['user', 'assistant', 'assistant', 'assistant'])
    expect(new Set(messages.slice(1).map(({ info }) => info.parentID))).toEqual(new Set([messages[0]?.info.id]))
    expect(messages[1]?.info).toMatchObject({ finish: 'tool-calls', providerID: 'svc', modelID: 'scripted' })
    const types = messages.flatMap(({ parts }) => parts.map(({ type }) => type))
    expect(types).toEqual(expect.arrayContaining(['reasoning', 'text', 'tool', 'step-start', 'step-finish']))
    const tools = messages.flatMap(({ parts }) => parts.filter(({ type }) => type === 'tool'))
    expect(tools.map(({ tool }) => tool)).toEqual(['write', 'bash'])
    expect(tools[1]?.state).toMatchObject({ status: 'completed', output: 'one\n' })
    const kinds = events.map(({ type }) => type)
    expect(kinds).toContain('message.part.delta')
    expect(kinds.filter((type) => type === 'session.idle')).toHaveLength(1)
    const deltas = events.filter(({ type }) => type === 'message.part.delta').map(({ properties }) => properties.delta)
    expect(deltas.join('')).toContain('hello')
    expect(await runtime.isBusy(send, conversationId)).toBe(false)
  })

  test('the prompt of the agent and the platform’s tools reach the model', () => {
    const asked = model.requests.find(({ tools }) => (tools ?? []).length > 0)
    expect(JSON.stringify(asked?.messages[0])).toContain('You are polite.')
    expect(asked?.tools?.map((tool) => tool.function.name)).toContain('question')
  })

  test('a question waits for an answer and the turn goes on with it', async () => {
    const watch = await watchRuntime(runtime, send)
    await prompt('ask Which colour? | Red | Blue\nsay you chose: {result}')
    await watch.saw('question.asked')
    const { questions } = await runtime.listAsks(send)
    await runtime.answerQuestion(send, String(questions[0]?.id), [['Blue']])
    await watch.idle()
    await watch.stop()
    const messages = await runtime.messages(send, conversationId)
    expect(JSON.stringify(messages.at(-1)?.parts)).toContain('Which colour? Blue')
  })

  test('abort ends a turn that would go on, and the message says so', async () => {
    const watch = await watchRuntime(runtime, send)
    await prompt('run sleep 50\nfinish')
    await watch.until(() => watch.seen.some((event) => JSON.stringify(event).includes('"status":"running"')))
    await runtime.abort(send, conversationId)
    await watch.idle()
    await watch.stop()
    expect(await runtime.isBusy(send, conversationId)).toBe(false)
  })

  test('a pi that dies in a turn ends the turn with an error, and the next prompt finds a new one', async () => {
    const events = await runScript('run kill -9 $PPID')
    expect(events.map(({ type }) => type)).toContain('session.error')
    const broken = (await runtime.messages(send, conversationId)).at(-1)
    expect(broken?.info.error).toMatchObject({ name: 'UnknownError' })
    await runScript('say alive')
    expect(JSON.stringify((await runtime.messages(send, conversationId)).at(-1)?.parts)).toContain('alive')
  })

  test('a second prompt during a turn waits for it and is answered after it', async () => {
    const watch = await watchRuntime(runtime, send)
    await prompt('run while [ ! -e both-sent ]; do sleep 0.1; done; echo first > order.txt\nfinish')
    await prompt('run echo second >> order.txt\nfinish')
    await writeFile(join(machine.paths.workspace, 'both-sent'), '')
    await watch.until(() => watch.seen.some((event) => event.type === 'session.idle'))
    await watch.stop()
    expect(await readFile(join(machine.paths.workspace, 'order.txt'), 'utf8')).toBe('first\nsecond\n')
    const messages = await runtime.messages(send, conversationId)
    const prompts = messages.filter(({ info }) => info.role === 'user').slice(-2)
    expect(messages.at(-1)?.info.parentID).toBe(prompts[1]?.info.id)
  })

  test('an error of the model ends the turn and is told in the message', async () => {
    await runScript('fail 400')
    const last = (await runtime.messages(send, conversationId)).at(-1)
    expect(last?.info.error).toMatchObject({ name: 'APIError' })
    expect(JSON.stringify(last?.info.error)).toContain('400')
  })

  test('what pi cannot do answers 501 with its name', async () => {
    const refused = await requestRuntime(send, `POST /session/${conversationId}/revert`, {}).catch((error) => error)
    expect(RuntimeRequestError.isInstance(refused) && refused.status).toBe(501)
    expect(String(refused)).toContain('feature_not_supported')
  })

  test('after a restart the conversation is there and goes on with what was said', async () => {
    const before = await runtime.messages(send, conversationId)
    const known = conversationId
    await bridge.stop()
    await start()
    expect(conversationId).toBe(known)
    expect(await runtime.messages(send, conversationId)).toEqual(before)
    await runScript('say again')
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('Which colour?')
  })

  test('an agent that may not edit or run has no tool for it', async () => {
    await bridge.stop()
    const permission = { edit: 'deny', bash: { 'git *': 'allow', '*': 'ask' } }
    await start({ compiled: { etag: '1', config: { agent: { svc: { permission } } } } })
    await writeFile(join(machine.paths.workspace, 'c.txt'), 'untouched')
    await runScript('write c.txt: changed\nrun echo changed > c.txt\nread c.txt')
    const offered = model.requests.at(-1)?.tools?.map((tool) => tool.function.name)
    expect(offered).toContain('read')
    expect(offered).not.toContain('bash')
    expect(await readFile(join(machine.paths.workspace, 'c.txt'), 'utf8')).toBe('untouched')
  })
})
