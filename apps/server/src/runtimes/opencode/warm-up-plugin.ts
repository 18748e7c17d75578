export interface WarmUpInput {
  /** A folder of its own, away from the workspace; removed at the end. */
  readonly folder: string
  /** Where the plugin plays the model of the one prompt that loads everything. */
  readonly modelPort: number
  /** Prepares a folder of settings as it does a session's. */
  readonly settle: readonly string[]
  /** In front of the PATH, as the launcher puts it. */
  readonly tools: string
  readonly warmLine: string
  readonly takenLine: string
}

/**
 * A plugin of the runtime that waits in the warm pool, loaded with the first instance and never by a session's. It runs
 * one prompt against a model of its own, so that what the runtime loads with its first prompt is there, makes instances
 * like a session's, because each takes less time than the one before, and throws conversations and instances
 * away. Then it waits for the environment of a session on the runtime's input. The
 * runtime reads its settings from the environment anew for every instance, so the session's begins as it would in a
 * runtime started with it.
 */
export function renderWarmUpPlugin({ folder, modelPort, settle, tools, warmLine, takenLine }: WarmUpInput): string {
  return `import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const chunk = (delta, finish_reason = null) =>
  'data: ' + JSON.stringify({ id: 'warm', object: 'chat.completion.chunk', created: 0, model: 'warm', choices: [{ index: 0, delta, finish_reason }] }) + '\\n\\n'

const described = '---\\nname: warm\\ndescription: Warm\\n---\\nWarm.\\n'
const ownFiles = {
  'opencode.jsonc': '{}',
  'agents/warm.md': described,
  'commands/warm.md': described,
  'skills/warm/SKILL.md': described,
}

// A repository without a commit: the runtime keeps no record of it.
async function rehearse(client, directory) {
  const settings = directory + '/.svc/opencode'
  for (const [path, text] of Object.entries(ownFiles)) {
    await mkdir(dirname(settings + '/' + path), { recursive: true })
    await writeFile(settings + '/' + path, text)
  }
  await run('git', ['init', '-q'], { cwd: directory })
  const [command, ...args] = ${JSON.stringify(settle)}
  await run(command, args, { env: { ...process.env, OPENCODE_CONFIG_DIR: settings } })
  process.env.OPENCODE_CONFIG_DIR = settings
  try {
    const { data } = await client.session.create({ query: { directory }, body: { title: 'warm' } })
    await client.session.delete({ query: { directory }, path: { id: data.id } })
    await client.instance.dispose({ query: { directory } })
  } finally {
    delete process.env.OPENCODE_CONFIG_DIR
  }
}

async function warmUp(client) {
  const model = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(chunk({ role: 'assistant', content: 'ok' }) + chunk({}, 'stop') + 'data: [DONE]\\n\\n')
  })
  await new Promise((resolve, reject) => model.once('error', reject).listen(${modelPort}, '127.0.0.1', resolve))
  try {
    const { data } = await client.session.create({ body: { title: 'warm' } })
    await client.session.prompt({ path: { id: data.id }, body: { parts: [{ type: 'text', text: 'ok' }] } })
    await client.session.delete({ path: { id: data.id } })
    for (let count = 0; count < 4; count += 1) await rehearse(client, ${JSON.stringify(`${folder}/`)} + count)
  } finally {
    model.close()
    model.closeAllConnections()
    await client.instance.dispose()
    await rm(${JSON.stringify(folder)}, { recursive: true, force: true })
  }
}

function takeEnvironment() {
  const pieces = []
  process.stdin.on('data', (piece) => pieces.push(piece))
  process.stdin.on('end', () => {
    const text = Buffer.concat(pieces).toString('utf8')
    if (text === '') return
    const environment = JSON.parse(text)
    Object.assign(process.env, environment, { PATH: ${JSON.stringify(tools)} + ':' + environment.PATH })
    console.log(${JSON.stringify(takenLine)})
  })
}

let isLoaded = false

export const WarmUp = async ({ client }) => {
  if (isLoaded) return {}
  isLoaded = true
  // After the instance that loads this is complete. A warm-up that fails leaves a runtime that is slower, not worse.
  setTimeout(() => {
    Promise.race([warmUp(client), new Promise((resolve) => setTimeout(resolve, 60_000))])
      .catch((error) => console.error('warm-up:', error))
      .then(() => {
        takeEnvironment()
        console.log(${JSON.stringify(warmLine)})
      })
  })
  return {}
}
`
}
