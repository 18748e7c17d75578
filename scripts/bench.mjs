// `npm run bench` and `npm run bench:<name>`: the benchmarks one after the other, each in a process of its own.

import { withBundle } from './program/bundle-program.mjs'
import { installPeers, needsPeers } from './program/install-peers.mjs'
import { listPrograms, requireProgram } from './program/list-programs.mjs'
import { finish } from './setup/finish.mjs'
import { prepare } from './setup/prepare.mjs'
import { say } from './setup/progress.mjs'
import { inRepository, root } from './setup/repository.mjs'
import { runToEnd } from './setup/run-command.mjs'
import { stopOnSignal } from './setup/stop-on-signal.mjs'

const named = process.argv.slice(2)

stopOnSignal(130)
await finish(async () => {
  await prepare('start')
  const names = named.length > 0 ? named : listPrograms('bench')
  const failed = []
  for (const name of names) {
    const source = requireProgram('bench', name)
    if (needsPeers(source)) await installPeers()
    say(`\n• bench ${name}`)
    if (!(await runBenchmark(source))) failed.push(name)
  }
  if (failed.length > 0) say(`\n✗ failed: ${failed.join(', ')}`)
  return failed.length > 0 ? 1 : 0
})

/** @param {string} source */
function runBenchmark(source) {
  const env = { ...process.env, SVC_BENCH_PEERS: inRepository('bench', 'peers') }
  return withBundle(source, async (bundle) => {
    const runner = inRepository('scripts', 'program', 'run-program.mjs')
    const { code } = await runToEnd(process.execPath, [runner, bundle], { cwd: root, env, inherit: true })
    return code === 0
  })
}
