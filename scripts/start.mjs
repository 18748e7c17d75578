// `npm start`: set-up, build, then the server in this same process, so that signals reach it directly.
import { pathToFileURL } from 'node:url'
import { finish } from './setup/finish.mjs'
import { prepare } from './setup/prepare.mjs'
import { inRepository } from './setup/repository.mjs'
import { stopOnSignal } from './setup/stop-on-signal.mjs'

// Somebody who stops a start got what they asked for: that is no failure.
const handOver = stopOnSignal(0)
const setup = await prepare('start').catch((error) => finish(() => Promise.reject(error)))

// The server adds this to the phases it reports when it is ready.
process.env.SVC_SETUP_MS = String(setup?.setupMs)
await import(pathToFileURL(inRepository('apps', 'server', 'dist', 'main.mjs')).href)
handOver()
