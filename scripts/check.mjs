// `npm run check`: everything `npm test` looks at except the tests themselves.
import { runCheck } from './checks/run-check.mjs'
import { sourceChecks } from './checks/source-checks.mjs'
import { finish } from './setup/finish.mjs'
import { installPackages } from './setup/install-packages.mjs'
import { withSetupLock } from './setup/setup-lock.mjs'
import { stopOnSignal } from './setup/stop-on-signal.mjs'

stopOnSignal(130)
await finish(async () => {
  await withSetupLock(installPackages)
  let failures = 0
  for (const check of sourceChecks) if (!(await runCheck(check))) failures += 1
  return failures === 0 ? 0 : 1
})
