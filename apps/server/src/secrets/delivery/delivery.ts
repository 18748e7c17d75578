import type { operations } from '@svc/contract'
import type { z } from 'zod'

export type SecretStrategy = (typeof operations.secrets.secretStrategies)[number]
export type SecretConsumer = (typeof operations.secrets.secretConsumers)[number]
export type EgressPolicy = z.output<typeof operations.secrets.EgressPolicy>

/** How a secret reaches whoever uses it. */
export interface Delivery {
  readonly strategy: SecretStrategy
  readonly consumer: SecretConsumer | null
  readonly egressPolicy: EgressPolicy | null
  readonly handlePrefix: string | null
}

/** What a request asks for; what it leaves out stays as it is. */
export interface AskedDelivery {
  readonly strategy?: SecretStrategy | undefined
  readonly consumer?: SecretConsumer | null | undefined
  readonly egress_policy?: Readonly<Record<string, unknown>> | null | undefined
  readonly handle_prefix?: string | undefined
}

export const consumersOf: Readonly<Record<SecretStrategy, readonly SecretConsumer[]>> = {
  runtime: ['sandbox'],
  egress: ['network'],
  broker: ['broker', 'llm_gateway', 'connector', 'git_proxy'],
  denied: [],
}

export function asksForDelivery(asked: AskedDelivery): boolean {
  const { strategy, consumer, egress_policy, handle_prefix } = asked
  return [strategy, consumer, egress_policy, handle_prefix].some((field) => field !== undefined)
}

/** Behind the flag `secrets_egress`: making a secret egress-enforced, and changing the policy of one that is. */
export function asksForEgress(asked: AskedDelivery, current: SecretStrategy | undefined): boolean {
  if (asked.strategy !== undefined) return asked.strategy === 'egress'
  return current === 'egress' && asked.egress_policy !== undefined
}
