import { randomInt } from 'node:crypto'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { startFaultRig } from '../tests/faults/sessions-rig.ts'
import { phases, type Round, runRounds, victims } from '../tests/faults/sessions-rounds.ts'
import { formatTable } from './support/rounds.ts'

/**
 * A hundred kills of server, runtime, daemon, database and the whole tree, while sessions are made, prompted, at work,
 * committed and stopped. Fails when a session, a prompt or a file is lost, when something runs twice, or when anything is
 * left a minute later. `SVC_BENCH_ROUNDS` and `SVC_TEST_SEED` repeat a run; `SVC_BENCH_FIRST` begins in the middle of one, so
 * that a long one can be run in slices. `SVC_TEST_SERVER_LOG` names a file that keeps what the servers said.
 */
export async function run(): Promise<void> {
  const rounds = Number(process.env.SVC_BENCH_ROUNDS ?? 100)
  const first = Number(process.env.SVC_BENCH_FIRST ?? 0)
  const seed = Number(process.env.SVC_TEST_SEED ?? randomInt(2 ** 31))
  console.log(`${rounds} rounds from ${first} on, seed ${seed}`)
  const build = copyBuild()
  try {
    const rig = await startFaultRig(join(build, 'main.mjs'))
    try {
      const done = await runRounds(rig, { first, rounds, seed, say: console.log })
      console.log(countPairs(done))
      console.log(`\u2713 ${rounds} rounds: nothing lost, nothing run twice, nothing left`)
    } finally {
      await rig.remove()
    }
  } finally {
    rmSync(build, { recursive: true, force: true })
  }
}

/** A build that stays as it is while the sources and their own build change. */
function copyBuild(): string {
  const server = join(process.cwd(), 'apps', 'server')
  const folder = join(server, 'node_modules', '.cache', 'fault-bench', String(process.pid))
  cpSync(join(server, 'dist'), folder, { recursive: true })
  return folder
}

function countPairs(done: readonly Round[]): string {
  const count = (victim: string, phase: string) =>
    String(done.filter((round) => round.victim === victim && round.phase === phase).length)
  return formatTable(
    ['killed', ...phases],
    victims.map((victim) => [victim, ...phases.map((phase) => count(victim, phase))]),
  )
}
