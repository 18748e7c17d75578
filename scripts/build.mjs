// `npm run build`: fills every dist/, building only what changed.
import { buildWorkspaces } from './build/build-workspaces.mjs'
import { finish } from './setup/finish.mjs'
import { installPackages } from './setup/install-packages.mjs'
import { say } from './setup/progress.mjs'
import { withSetupLock } from './setup/setup-lock.mjs'
import { stopOnSignal } from './setup/stop-on-signal.mjs'

stopOnSignal(130)
await finish(async () => {
  const { built, unchanged } = await withSetupLock(async () => {
    await installPackages()
    return buildWorkspaces()
  })
  say(`• ${built.length} built, ${unchanged} unchanged`)
  return 0
})
