import type { HealthCheck } from '../../kernel/capability.ts'
import { managedProvider } from '../resolve-model.ts'
import type { ProviderHealth } from './provider-health.ts'

/** The providers behind the managed models, as their last calls went. Those of projects are the projects' own affair. */
export function providerCheck(health: ProviderHealth): HealthCheck {
  return {
    name: 'model providers',
    required: false,
    async read() {
      const unwell = health.listUnwell(managedProvider)
      if (unwell.length === 0) return { status: 'ok' }
      return {
        status: 'degraded',
        detail: unwell.map(({ provider, state }) => `${provider} is ${state}`).join(', '),
        next: 'Calls go to fallback models where a routing policy names some. Check the provider and its key.',
      }
    },
  }
}
