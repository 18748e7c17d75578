// `npm run example:<name>`: runs an example against the platform at SVC_URL.
import { withBundle } from './program/bundle-program.mjs'
import { requireProgram } from './program/list-programs.mjs'
import { finish } from './setup/finish.mjs'
import { installPackages } from './setup/install-packages.mjs'
import { inRepository, root } from './setup/repository.mjs'
import { runToEnd } from './setup/run-command.mjs'
import { withSetupLock } from './setup/setup-lock.mjs'
import { stopOnSignal } from './setup/stop-on-signal.mjs'

const [name, ...args] = process.argv.slice(2)

stopOnSignal(130)
await finish(async () => {
  const source = requireProgram('examples', name)
  await withSetupLock(installPackages)
  const env = { ...process.env, SVC_URL: process.env.SVC_URL || 'http://127.0.0.1:8008' }
  return withBundle(source, async (bundle) => {
    const runner = inRepository('scripts', 'program', 'run-program.mjs')
    const { code } = await runToEnd(process.execPath, [runner, bundle, ...args], { cwd: root, env, inherit: true })
    return code ?? 1
  })
})
