import type { ServableModel } from '../resolve.ts'
import { type AttemptFailure, ClientGone, describeAttempt, type GatewayFailure, toFailure } from './failure.ts'
import type { ProviderHealth } from './provider-health.ts'
import type { Waiting } from './send-request.ts'

export interface Tried<Result> {
  readonly model: ServableModel
  readonly result: Result
  readonly failures: readonly AttemptFailure[]
}

export class NoModelAnswered extends Error {
  override readonly name = 'NoModelAnswered'
  readonly failure: GatewayFailure
  readonly model: ServableModel
  readonly failures: readonly AttemptFailure[]

  constructor(failure: GatewayFailure, model: ServableModel, failures: readonly AttemptFailure[]) {
    super(failure.message)
    this.failure = failure
    this.model = model
    this.failures = failures
  }
}

/**
 * Asks models in order, each once, until one answers or its failure is none that another could cure. A model whose
 * provider is down, or that told us to wait, is asked after the others.
 */
export async function tryModels<Result extends { readonly cutBy?: GatewayFailure | undefined }>(
  health: ProviderHealth,
  models: readonly ServableModel[],
  fallbackOn: 'transient' | 'any-error',
  waiting: Pick<Waiting, 'isGone'>,
  ask: (model: ServableModel) => Promise<Result>,
): Promise<Tried<Result>> {
  const failures: AttemptFailure[] = []
  const ordered = health.order(models)
  for (const [at, model] of ordered.entries()) {
    try {
      const result = await ask(model)
      if (result.cutBy) health.failed(model, result.cutBy)
      else health.succeeded(model)
      return { model, result, failures }
    } catch (error) {
      if (error instanceof ClientGone) throw new ClientGone({ usage: error.usage, sentBytes: error.sentBytes, model })
      if (waiting.isGone) throw new ClientGone({ model })
      const failure = toFailure(error)
      health.failed(model, failure)
      const { provider, wireId, upstream } = model
      const where = { attempt: at + 1, provider, route_model: wireId, resolved_model: upstream.model }
      failures.push(describeAttempt(failure, where))
      const mayAdvance = fallbackOn === 'any-error' || failure.isTransient
      if (!mayAdvance || at === ordered.length - 1) throw new NoModelAnswered(failure, model, failures)
    }
  }
  throw new Error('no model to ask')
}
