import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findPackageRoot } from '../../kernel/package-root.ts'
import { serveScripted } from '../../models/testing/serve-scripted.ts'
import { requestRuntime } from '../request-runtime.ts'
import type { RuntimeMessage } from '../runtime.ts'
import { makeTestMachine, runRuntime, testInput, watchRuntime } from '../testing/run-runtime.ts'
import { findOpencode } from './find-opencode.ts'
import { createOpencode } from './index.ts'

/** The real program, the real model protocol; only the sandbox around it is missing. */

const found = findOpencode()
const skillsPath = fileURLToPath(new URL('skills', findPackageRoot()))
const timeoutMs = 120_000

describe.skipIf(found === undefined)('opencode, as it is installed', { timeout: timeoutMs }, () => {
  let model: Awaited<ReturnType<typeof serveScripted>>
  let machine: Awaited<ReturnType<typeof makeTestMachine>>
  let runtime: ReturnType<typeof createOpencode>
  let running: Awaited<ReturnType<typeof runRuntime>>
  let conversationId: string
  let turns = 0

  beforeAll(async () => {
    model = await serveScripted()
    machine = await makeTestMachine({ opencode: found?.path ?? '', pi: '', piBridge: '' })
    const { workspace } = machine.paths
    const git = (...args: string[]) => execFileSync('git', args, { cwd: workspace })
    git('init', '-q')
    await mkdir(join(workspace, '.svc/opencode/commands'), { recursive: true })
    await writeFile(join(workspace, '.svc/opencode/commands/greet.md'), '---\ndescription: Greets\n---\nHello $1')
    await writeFile(join(workspace, 'README.md'), '# A repository\n')
    git('add', '-A')
    git('-c', 'user.name=Test', '-c', 'user.email=test@example.com', 'commit', '-q', '-m', 'First')
    runtime = createOpencode(machine.paths)
    const compiled = {
      etag: '0',
      config: {
        agent: { svc: { mode: 'primary', description: 'Works', prompt: 'Never say {env:HOME} or {file:x}.' } },
      },
    }
    running = await runRuntime(
      runtime.prepare({ ...testInput(model.url), compiled, skillsPath }),
      machine.paths,
      'test-token',
    )
    conversationId = (await runtime.open(running.send, undefined, '')).conversationId
  }, timeoutMs)

  afterAll(async () => {
    await running?.stop()
    await model?.stop()
    await machine?.remove()
  })

  /** Prompts in the language of the scripted model and waits until the turn is over. */
  async function runScript(script: string) {
    const watch = await watchRuntime(runtime, running.send)
    await prompt(script)
    await watch.idle()
    await watch.stop()
    return watch.seen
  }

  const prompt = (script: string) => {
    turns += 1
    const messageId = `msg_${Date.now().toString(16).padStart(12, '0')}${String(turns).padStart(14, 'a')}`
    const parts = [{ type: 'text', text: `Please\n\`\`\`script\n${script}\n\`\`\`` }]
    return runtime.prompt(running.send, conversationId, {
      messageId,
      parts,
      agent: 'svc',
      model: undefined,
      variant: undefined,
    })
  }

  const toolsOf = (messages: readonly RuntimeMessage[]) =>
    messages.flatMap(({ parts }) => parts.filter(({ type }) => type === 'tool').map(({ tool }) => tool))

  test('a prompt leads to tool calls, a file, a command, and idle', async () => {
    const events = await runScript(
      'say hello\nlook\nuse grep {"pattern":"repository"}\nwrite made/a.txt: one\\n\nrun cat made/a.txt > made/b.txt\nfinish bye',
    )
    const { workspace } = machine.paths
    expect(await readFile(join(workspace, 'made/b.txt'), 'utf8')).toBe('one\n')
    const messages = await runtime.messages(running.send, conversationId)
    expect(toolsOf(messages)).toEqual(['glob', 'grep', 'write', 'bash'])
    expect(JSON.stringify(messages)).not.toContain('"status":"error"')
    expect(messages[0]?.info).toMatchObject({ role: 'user', agent: 'svc' })
    expect(events.map(({ type }) => type)).toContain('message.part.delta')
    expect(events.filter(({ type }) => type.startsWith('plugin.'))).toEqual([])
    expect(await runtime.isBusy(running.send, conversationId)).toBe(false)
  })

  test('the compiled agent is the one that speaks, with its prompt word for word', () => {
    const spoken = model.requests.find(({ tools }) => (tools ?? []).length > 0)
    expect(JSON.stringify(spoken?.messages[0])).toContain('Never say {env:HOME} or {file:x}.')
  })

  test('a question waits for an answer and the turn goes on with it', async () => {
    const watch = await watchRuntime(runtime, running.send)
    await prompt('ask Which colour? | Red | Blue\nsay you chose: {result}')
    await watch.saw('question.asked')
    expect(await runtime.isBusy(running.send, conversationId)).toBe(true)
    const { questions } = await runtime.listAsks(running.send)
    await runtime.answerQuestion(running.send, String(questions[0]?.id), [['Blue']])
    await watch.idle()
    await watch.stop()
    const messages = await runtime.messages(running.send, conversationId)
    expect(JSON.stringify(messages.at(-1)?.parts)).toContain('Blue')
  })

  test('abort ends a turn that would go on', async () => {
    const watch = await watchRuntime(runtime, running.send)
    await prompt('run sleep 50\nfinish')
    await watch.until(() => watch.seen.some((event) => JSON.stringify(event).includes('"running"')))
    await runtime.abort(running.send, conversationId)
    await watch.idle()
    await watch.stop()
    expect(await runtime.isBusy(running.send, conversationId)).toBe(false)
  })

  test('a known conversation is opened again, an unknown one is replaced', async () => {
    expect(await runtime.open(running.send, conversationId, '')).toEqual({ conversationId })
    const other = await runtime.open(running.send, 'ses_e21c15f2fffeRQpFZqJF0wbmx9', 'Named')
    expect(other.conversationId).not.toBe('ses_e21c15f2fffeRQpFZqJF0wbmx9')
  })

  test('the folders of the repository are read, and git sees nothing of what the runtime adds', async () => {
    expect(JSON.stringify(await requestRuntime(running.send, 'GET /command'))).toContain('greet')
    expect(JSON.stringify(await requestRuntime(running.send, 'GET /skill'))).toContain('svc-change-requests')
    const status = execFileSync('git', ['status', '--porcelain'], { cwd: machine.paths.workspace, encoding: 'utf8' })
    expect(status.trim()).toBe('?? made/')
  })

  test('nothing was fetched from the network: no package was installed in any folder of settings', () => {
    expect(existsSync(join(machine.paths.home, '.npm'))).toBe(false)
    expect(existsSync(join(machine.paths.home, '.config/opencode/node_modules/zod'))).toBe(false)
    expect(existsSync(join(machine.paths.workspace, '.svc/opencode/node_modules/zod'))).toBe(false)
  })
})
