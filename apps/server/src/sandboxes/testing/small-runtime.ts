import type { RuntimeProcess, WarmRuntime } from '../provider.ts'

const program = '/home/agent/small-runtime.mjs'
const port = 4096

/** Answers every request with its environment and the number of the process; can wait for a session, and refuse it. */
const source = `import { createServer } from 'node:http'
let isWarm = false
createServer((request, response) => {
  if (request.url === '/end') process.exit(1)
  response.end(JSON.stringify({ pid: process.pid, env: process.env }))
  if (request.url !== '/warm-up' || isWarm) return
  isWarm = true
  let text = ''
  process.stdin.on('data', (piece) => (text += piece)).on('end', () => {
    const env = JSON.parse(text)
    if (env.REFUSES_SESSIONS) process.exit(1)
    Object.assign(process.env, env)
    console.log('has its session')
  })
  console.log('is warm')
}).listen(${port}, '127.0.0.1', () => console.log('listening'))
`
const files = [{ path: program, content: source }]

const runtime: RuntimeProcess = {
  kind: 'opencode',
  argv: ['/opt/svc/node/bin/node', program],
  env: {},
  port,
  readyLine: 'listening',
  settle: ['/bin/sh', '-c', 'echo settled > /workspace/settled'],
}

export const smallRuntime = { process: runtime, files }

export const smallWarmRuntime = (): WarmRuntime => ({
  process: { ...runtime, env: { WAITED: 'yes' } },
  files,
  warmUpPath: '/warm-up',
  warmLine: 'is warm',
  takenLine: 'has its session',
})
