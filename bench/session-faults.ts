import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { startFaultRig } from '../tests/faults/sessions-rig.ts'
import { runRounds } from '../tests/faults/sessions-rounds.ts'

/**
 * A hundred kills of server, runtime, daemon, database and the whole tree, while sessions are made, prompted, at work,
 * committed and stopped. Fails when a session, a prompt or a file is lost, when something runs twice, or when anything is
 * left a minute later. `SVC_BENCH_ROUNDS` and `SVC_TEST_SEED` repeat a run.
 */
export async function run(): Promise<void> {
  const rounds = Number(process.env.SVC_BENCH_ROUNDS ?? 100)
  const seed = Number(process.env.SVC_TEST_SEED ?? randomInt(2 ** 31))
  console.log(`${rounds} rounds, seed ${seed}`)
  const rig = await startFaultRig(join(process.cwd(), 'apps', 'server', 'dist', 'main.mjs'))
  try {
    await runRounds(rig, { rounds, seed, say: console.log })
    console.log(`\u2713 ${rounds} rounds: nothing lost, nothing run twice, nothing left`)
  } finally {
    await rig.remove()
  }
}
