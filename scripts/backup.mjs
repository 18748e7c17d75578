// `npm run backup -- <file>`: database, repositories and keys of this instance in one file, while the server works on.
import { pathToFileURL } from 'node:url'
import { finish } from './setup/finish.mjs'
import { prepare } from './setup/prepare.mjs'
import { inRepository } from './setup/repository.mjs'
import { stopOnSignal } from './setup/stop-on-signal.mjs'

stopOnSignal(130)
await finish(async () => {
  await prepare('start')
  const { run } = await import(pathToFileURL(inRepository('apps', 'server', 'dist', 'backup.mjs')).href)
  return run('backup', process.argv.slice(2))
})
