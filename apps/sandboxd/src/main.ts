import { fileURLToPath } from 'node:url'
import { waitForOwner } from './boot/wait-for-owner.ts'
import { runSearchWorker } from './files/search-worker.ts'
import { readSettings } from './settings.ts'
import { startDaemon } from './start-daemon.ts'

if (!runSearchWorker()) await run()

async function run(): Promise<void> {
  // Both ends of a stream may break at any time; nothing of that may end the machine.
  process.on('uncaughtException', (error) => console.error('sandboxd: an error nobody caught:', error))
  process.on('unhandledRejection', (error) => console.error('sandboxd: a failure nobody caught:', error))
  const settings = readSettings(process.env)
  const claim =
    settings.ownerFd === undefined ? undefined : await waitForOwner(settings, settings.ownerFd).catch(giveUp)
  if (settings.ownerFd !== undefined && !claim) process.exit(0)
  const starting = startDaemon(settings, fileURLToPath(import.meta.url), claim)
  const stop = () => {
    starting
      .then((daemon) => daemon.stop())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          console.error('sandboxd: stopping failed:', error)
          process.exit(1)
        },
      )
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  await starting.catch(giveUp)
}

function giveUp(error: unknown): never {
  console.error('sandboxd: the machine could not boot:', error)
  process.exit(1)
}
