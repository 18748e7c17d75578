import { newId } from '../kernel/ids/index.ts'
import { changeState } from './change-state.ts'
import { createMachine } from './create-machine.ts'
import { defaultResources, type MachineInput } from './machine-input.ts'
import type { Parts } from './parts.ts'
import type { SandboxProvider, WarmInput, WarmRuntime } from './provider.ts'
import { destroyMachine } from './stop-machine.ts'
import { claimWarm, countWarm, findByExternalId, type MachineRow } from './store.ts'

export interface WarmPool {
  claim(input: MachineInput, provider: SandboxProvider): Promise<MachineRow | undefined>
  /** Brings the pool to its size in the background; called whenever one may be missing. */
  fill(): void
  /** Resolves when nothing is being filled any more. */
  stop(): Promise<void>
}

export interface WarmPoolOptions {
  readonly size: number
  /** What runs in a waiting machine besides its daemon. */
  runtime(): WarmRuntime | undefined
}

/** After a failure the pool rests, so that a host that cannot start machines is not kept busy with it. */
const restMs = 30_000
/** Starting a machine takes a whole processor: the session that took one gets it first. */
const refillAfterMs = 2_000

/**
 * Machines that are started and wait, each with a row that nobody owns. A claim is one update of that row, so two
 * sessions never get the same one; what a kill leaves is destroyed by the next start.
 */
export function createWarmPool(parts: () => Parts, { size, runtime }: WarmPoolOptions): WarmPool {
  let filling: Promise<void> | undefined
  let refilling: NodeJS.Timeout | undefined
  const stopping = new AbortController()
  let restingUntilMs = 0

  async function fillUp(): Promise<void> {
    const { kernel, nodeId, requireProvider, defaultProvider } = parts()
    const provider = requireProvider(defaultProvider)
    if (!provider.warm || (await provider.check()).status !== 'ok') return
    while (!stopping.signal.aborted && (await countWarm(kernel.database.db, nodeId)) < size) {
      await addOne(parts(), provider, { runtime: runtime(), signal: stopping.signal, onLost: () => refill() })
    }
  }

  const refill = (afterMs = refillAfterMs) => {
    clearTimeout(refilling)
    refilling = setTimeout(fill, afterMs).unref()
  }

  const fill = () => {
    if (size === 0 || stopping.signal.aborted || filling || performance.now() < restingUntilMs) return
    filling = fillUp()
      .catch((error: unknown) => {
        if (stopping.signal.aborted) return
        restingUntilMs = performance.now() + restMs
        refill(restMs + 1)
        parts().kernel.log.warn('the warm pool could not be filled', { error })
      })
      .finally(() => {
        filling = undefined
      })
  }

  return {
    fill,
    async claim(input, provider) {
      const { kernel, nodeId } = parts()
      const { sandboxId, projectId, accountId } = input
      if (size === 0 || projectId === null || accountId === null || !provider.warm || !fits(input)) return undefined
      const row = await claimWarm(kernel.database.db, nodeId, {
        sandboxId,
        projectId,
        accountId,
        provider: provider.id,
      })
      refill()
      return row
    },
    async stop() {
      stopping.abort()
      clearTimeout(refilling)
      await filling
    },
  }
}

/** Machines wait with the default template and its resources. */
function fits({ templateSlug = 'default', image, resources = defaultResources }: MachineInput): boolean {
  const { cpu, memoryGb, diskGb } = defaultResources
  const isUsual = resources.cpu === cpu && resources.memoryGb === memoryGb && resources.diskGb === diskGb
  return templateSlug === 'default' && image === undefined && isUsual
}

async function addOne(
  parts: Parts,
  provider: SandboxProvider,
  { runtime, signal, onLost }: Pick<WarmInput, 'runtime' | 'signal'> & { onLost(): void },
): Promise<void> {
  const row = await createMachine(parts, {
    sandboxId: newId(),
    projectId: null,
    accountId: null,
    provider: provider.id,
  })
  const onExit = () => void forget(parts, row.externalId).then(onLost)
  try {
    await provider.warm?.(row.externalId, { runtime, signal, onExit })
    await changeState(parts, row.sandboxId, ['provisioning'], { status: 'active' })
  } catch (error) {
    await destroyMachine(parts, row.sandboxId)
    throw error
  }
}

/** One that ended while it waited. Claimed in the same moment, it is the session's, whose start will tell. */
async function forget(parts: Parts, externalId: string): Promise<void> {
  const row = await findByExternalId(parts.kernel.database.db, externalId)
  if (row?.projectId !== null) return
  await destroyMachine(parts, row.sandboxId).catch((error: unknown) =>
    parts.kernel.log.warn('a machine of the warm pool could not be removed', { error }),
  )
}
