import { type House, makeHouse } from '../../scripts/testing/make-house.ts'

/** A server that keeps the promises of the real one: a child process as its database, a drain, exit code 0. */
const placeholderServer = `
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { greeting } from '@house/words'

const database = spawn('sleep', ['600'], { stdio: 'ignore' })
const databaseEnded = new Promise((resolve) => database.once('exit', resolve))
const server = createServer((_request, response) => response.end(greeting))
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('open http://127.0.0.1:' + process.env.PORT))
console.log('set-up took ' + process.env.SVC_SETUP_MS + ' ms')

let draining = false
const drain = (signal: string) => {
  if (draining) return
  draining = true
  console.log('draining after ' + signal)
  setTimeout(() => {
    databaseEnded.then(() => server.close(() => process.exit(0)))
    database.kill('SIGINT')
    server.closeAllConnections()
  }, 200)
}
process.on('SIGTERM', drain)
process.on('SIGINT', drain)
`

const words = (greeting: string) => `export const greeting = '${greeting}'\n`

/** A small repository with a library and a server that needs it, built by the real scripts. */
export function makePlaceholderHouse(): House & { greet(greeting: string): void } {
  const house = makeHouse({
    'packages/words/package.json': JSON.stringify({
      name: '@house/words',
      type: 'module',
      exports: { '.': { 'svc-source': './src/index.ts', default: './dist/index.mjs' } },
    }),
    'packages/words/tsdown.config.ts': "export default { entry: ['src/index.ts'], dts: false }\n",
    'packages/words/src/index.ts': words('hello'),
    'apps/server/package.json': JSON.stringify({
      name: '@house/server',
      type: 'module',
      dependencies: { '@house/words': '0.1.0' },
    }),
    'apps/server/tsdown.config.ts': "export default { entry: ['src/main.ts'], platform: 'node', dts: false }\n",
    'apps/server/src/main.ts': placeholderServer,
  })
  return Object.assign(house, {
    greet: (greeting: string) => house.write('packages/words/src/index.ts', words(greeting)),
  })
}
