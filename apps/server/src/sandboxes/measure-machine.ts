import type { Parts } from './parts.ts'
import type { MachineStats } from './provider.ts'
import type { MachineRow } from './store.ts'

const patienceMs = 2_000

/** Never throws and never waits long: figures are worth less than the list they stand in. */
export async function measureMachine(
  { nodeId, kernel, requireProvider }: Parts,
  machine: Pick<MachineRow, 'provider' | 'externalId' | 'nodeId'>,
): Promise<MachineStats | undefined> {
  if (machine.nodeId !== nodeId) return undefined
  const reading = (async () => requireProvider(machine.provider).stats(machine.externalId))().catch(
    (error: unknown) => {
      kernel.log.debug('a machine could not be measured', { external_id: machine.externalId, error })
      return undefined
    },
  )
  return Promise.race([reading, kernel.clock.sleep(patienceMs).then(() => undefined)])
}
