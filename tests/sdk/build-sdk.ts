import { execFile } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')

/** The client library as its sources are now: what the set-up has built is that, unless somebody changed it since. */
export async function buildSdk(dist: string): Promise<void> {
  if (await isBuilt()) {
    const built = join(root, 'packages', 'sdk', 'dist')
    cpSync(built, dist, { recursive: true, filter: (path) => !path.endsWith('.build-hash') })
    return
  }
  const tsdown = join(root, 'node_modules', 'tsdown', 'dist', 'run.mjs')
  const args = [tsdown, '--fixed-extension', '--logLevel', 'error', '--out-dir', dist]
  await run(process.execPath, args, { cwd: join(root, 'packages', 'sdk') })
}

const planned = `import { planBuild } from './scripts/build/build-workspaces.mjs'
process.exit(planBuild().stale.some(({ path }) => path === 'packages/sdk') ? 1 : 0)`

function isBuilt(): Promise<boolean> {
  return run(process.execPath, ['--input-type=module', '--eval', planned], { cwd: root }).then(
    () => true,
    () => false,
  )
}
