import { addMarkup } from '../catalog/price.ts'
import type { CallEntry } from '../ledger/call-entry.ts'
import type { ServableModel } from '../resolve.ts'

type Costs = Pick<CallEntry, 'svc_micros' | 'provider_micros'>

/** What a provider's charge is to the wallet and to the holder of the key. */
export function splitCost(model: ServableModel | undefined, totalMicros: number): Costs {
  if (model?.billingMode === 'credits') return { svc_micros: totalMicros, provider_micros: 0 }
  return { svc_micros: 0, provider_micros: totalMicros }
}

const platformFee = 0.1

/** What a call costs whom, by what the provider charges for it. */
export function costOf(model: ServableModel, providerMicros: number): Costs {
  if (model.isSubscription) return { svc_micros: 0, provider_micros: 0 }
  if (model.billingMode === 'credits')
    return { svc_micros: addMarkup(providerMicros, model.markup), provider_micros: 0 }
  if (model.billingMode === 'none') return { svc_micros: 0, provider_micros: providerMicros }
  return { svc_micros: addMarkup(providerMicros, platformFee), provider_micros: providerMicros }
}

export function totalOf(model: ServableModel, providerMicros: number): number {
  const { svc_micros, provider_micros } = costOf(model, providerMicros)
  return svc_micros + provider_micros
}
