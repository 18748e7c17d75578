import type { Clock } from '../../kernel/clock/index.ts'
import type { ServableModel } from '../resolve.ts'
import type { GatewayFailure } from './failure.ts'

export type HealthState = 'ok' | 'degraded' | 'down'

type Rated = Pick<ServableModel, 'healthId' | 'wireId'>

/** How providers have answered lately, as this node saw it. Failures of one key holder never count for another's. */
export interface ProviderHealth {
  succeeded(model: Rated): void
  failed(model: Rated, failure: GatewayFailure): void
  stateOf(model: Rated): HealthState
  /** The same models: those that would not answer now go last, and each of them is tried again after a while. */
  order<Model extends Rated>(models: readonly Model[]): readonly Model[]
  /** Providers that are not well, by the part of their name that no project owns. */
  listUnwell(holder: string): { readonly provider: string; readonly state: HealthState }[]
}

interface Record {
  failures: number
  /** Until then others go first. */
  restsUntil: number
}

const degradedAfter = 2
const downAfter = 5
const firstRestMs = 5_000
const longestRestMs = 60_000
const maxKept = 10_000

export function createProviderHealth(clock: Pick<Clock, 'nowMs'>): ProviderHealth {
  const providers = new Map<string, Record>()
  /** Models that were told to wait, with the time until which. */
  const waiting = new Map<string, number>()

  const isResting = (model: Rated) => {
    const now = clock.nowMs()
    return (waiting.get(keyOf(model)) ?? 0) > now || (providers.get(model.healthId)?.restsUntil ?? 0) > now
  }

  return {
    succeeded(model) {
      if (providers.size > 0) providers.delete(model.healthId)
      if (waiting.size > 0) waiting.delete(keyOf(model))
    },
    failed(model, { isTransient, retryAfterSeconds, upstreamStatus }) {
      if (!isTransient) return
      if (waiting.size >= maxKept) waiting.clear()
      if (providers.size >= maxKept) providers.clear()
      if (retryAfterSeconds !== undefined) waiting.set(keyOf(model), clock.nowMs() + retryAfterSeconds * 1_000)
      // Too many calls is no illness of the provider.
      if (upstreamStatus === 429) return
      const known = providers.get(model.healthId) ?? { failures: 0, restsUntil: 0 }
      known.failures += 1
      if (known.failures >= downAfter) {
        known.restsUntil = clock.nowMs() + Math.min(longestRestMs, firstRestMs * 2 ** (known.failures - downAfter))
      }
      providers.set(model.healthId, known)
    },
    stateOf(model) {
      const failures = providers.get(model.healthId)?.failures ?? 0
      if (failures >= downAfter) return 'down'
      return failures >= degradedAfter || isResting(model) ? 'degraded' : 'ok'
    },
    order(models) {
      if (models.length < 2 || (providers.size === 0 && waiting.size === 0)) return models
      const resting = models.filter(isResting)
      return resting.length === 0 ? models : [...models.filter((model) => !isResting(model)), ...resting]
    },
    listUnwell(holder) {
      return [...providers].flatMap(([id, { failures }]) => {
        if (!id.startsWith(`${holder} `) || failures < degradedAfter) return []
        return [{ provider: id.slice(holder.length + 1), state: failures >= downAfter ? 'down' : 'degraded' }]
      })
    },
  }
}

function keyOf({ healthId, wireId }: Rated): string {
  return `${healthId} ${wireId}`
}
