import type { Capability } from '../kernel/capability.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Parts, SecretsOptions } from './parts.ts'
import { readSecretValue, readSecretValues } from './read-value.ts'
import { secretRoutes } from './routes.ts'
import { findSecret, listDelivery } from './store.ts'

export type { EgressPolicy, SecretConsumer, SecretStrategy } from './delivery/delivery.ts'
export { isModelProviderKey } from './delivery/model-provider-keys.ts'
export type { DeliverySync, SecretsOptions } from './parts.ts'
export type { SecretValue } from './read-value.ts'

export type Secrets = ReturnType<typeof createSecrets>

/** Secrets at rest: sealed values, who may use them, and how. Nothing a caller can ask for returns a value. */
export function createSecrets(kernel: Kernel, options: SecretsOptions) {
  const parts: Parts = { ...options, kernel }
  const capability: Capability = { routes: secretRoutes(parts) }
  return {
    ...capability,
    /** The value of one secret, with somebody's own in its place when asked for. Undefined when there is none. */
    readSecretValue: (wanted: { projectId: string; identifier: string; forUserId?: string }) =>
      readSecretValue(parts, wanted),
    /** The values of every secret for one environment variable, newest first. */
    readSecretValues: (projectId: string, name: string) => readSecretValues(parts, projectId, name),
    /** Every secret of a project and how it is delivered, without its value. */
    listDelivery: (projectId: string) => listDelivery(kernel.database.db, projectId),
    exists: async (projectId: string, identifier: string) =>
      (await findSecret(kernel.database.db, projectId, identifier)) !== undefined,
  }
}
