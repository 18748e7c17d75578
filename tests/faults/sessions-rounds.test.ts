import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import { buildPlatform } from './platform-runner.ts'
import { type FaultRig, startFaultRig } from './sessions-rig.ts'
import { runRounds } from './sessions-rounds.ts'

const rounds = process.env.SVC_TEST_LONG === '1' ? 50 : 5
const seed = Number(process.env.SVC_TEST_SEED ?? randomInt(2 ** 31))

let rig: FaultRig
beforeAll(async () => {
  rig = await startFaultRig(await buildPlatform())
}, 240_000)
afterAll(() => rig?.remove())

test(`${rounds} kills of any process at any phase: no session, prompt or file lost, none run twice, nothing left (seed ${seed})`, {
  timeout: 240_000 + rounds * 120_000,
}, async () => {
  await runRounds(rig, { rounds, seed, say: (line) => console.log(line) })
})
