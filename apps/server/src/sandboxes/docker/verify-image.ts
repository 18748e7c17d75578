import { BuildError } from '../templates/build-error.ts'
import type { Engine } from './engine.ts'
import { makeContainer, removeContainer, startContainer, waitForEnd } from './run-container.ts'

/** What every machine needs of its image, tried in the image itself. */
const probe = `
const { spawnSync } = require('node:child_process')
const works = (name, ...args) => spawnSync(name, args).status === 0
// Nobody listens there: a git that can speak HTTP says so, one that cannot says something else.
const overHttp = () => /unable to access/.test(String(spawnSync('git', ['ls-remote', 'http://127.0.0.1:1/']).stderr))
const missing = []
if (!works('sh', '-c', 'true')) missing.push('shell (sh)')
if (!works('git', '--version')) missing.push('git')
else if (!overHttp()) missing.push('git over HTTP (libcurl)')
if (missing.length > 0) { console.log('missing: ' + missing.join(', ')); process.exit(3) }
`

const patienceMs = 60_000

/** Throws unless the daemon and git would run in a machine made from the image. `config` is what machines get. */
export async function verifyImage(
  engine: Engine,
  name: string,
  config: { readonly Entrypoint: readonly string[]; readonly [field: string]: unknown },
): Promise<void> {
  const [node = 'node'] = config.Entrypoint
  const container = await makeContainer(engine, name, { ...config, Entrypoint: [node, '-e', probe] })
  try {
    await startContainer(engine, container)
    const { exitCode, output } = await waitForEnd(engine, container, AbortSignal.timeout(patienceMs))
    if (exitCode === 0) return
    const lacks = /missing: (.+)/.exec(output)?.[1]
    throw new BuildError(
      'runtime',
      lacks
        ? `The image has no ${lacks}. Install it in the image.`
        : `The runtime does not start in the image, which must be Debian-family with glibc: ${output.trim() || `exit ${exitCode}`}`,
    )
  } catch (error) {
    if (BuildError.isInstance(error)) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new BuildError('runtime', `A machine cannot be made from the image: ${why}`, { cause: error })
  } finally {
    await removeContainer(engine, container.id)
  }
}
