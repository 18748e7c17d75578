// `npm run keys:rotate`: puts a new master key in front of the others, while the server works on.
import { pathToFileURL } from 'node:url'
import { finish } from './setup/finish.mjs'
import { prepare } from './setup/prepare.mjs'
import { inRepository } from './setup/repository.mjs'
import { stopOnSignal } from './setup/stop-on-signal.mjs'

stopOnSignal(130)
await finish(async () => {
  await prepare('start')
  const { run } = await import(pathToFileURL(inRepository('apps', 'server', 'dist', 'rotate-keys.mjs')).href)
  return run()
})
