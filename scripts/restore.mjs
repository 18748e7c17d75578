// `npm run restore -- <file> [-y]`: an instance from a backup, in the data directory that the server will use.
import { pathToFileURL } from 'node:url'
import { finish } from './setup/finish.mjs'
import { prepare } from './setup/prepare.mjs'
import { inRepository } from './setup/repository.mjs'
import { stopOnSignal } from './setup/stop-on-signal.mjs'

stopOnSignal(130)
await finish(async () => {
  await prepare('start')
  const { run } = await import(pathToFileURL(inRepository('apps', 'server', 'dist', 'backup.mjs')).href)
  return run('restore', process.argv.slice(2))
})
