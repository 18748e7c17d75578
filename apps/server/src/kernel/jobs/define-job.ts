import type { ZodType } from 'zod'
import type { Logger } from '../log/index.ts'

export interface JobContext {
  readonly id: string
  /** 1 for the first run. */
  readonly attempt: number
  readonly maxAttempts: number
  /** Aborted when the node drains and the job had its time to finish. */
  readonly signal: AbortSignal
  readonly log: Logger
}

/** What a worker needs of a job. */
export interface RunnableJob {
  readonly name: string
  readonly maxAttempts: number
  readonly retryDelayMs: ((attempt: number) => number) | undefined
  execute(payload: unknown, context: JobContext): Promise<void>
}

export interface JobDefinition<Payload> extends RunnableJob {
  /** Never set; carries the type for `tx.enqueue`. */
  readonly payload?: Payload
}

export interface JobInput<Payload> {
  name: string
  payload: ZodType<Payload>
  /**
   * At least once: a job whose node dies runs again on another, so what it does must be safe to repeat. A node's death
   * uses up an attempt like a failure does.
   */
  run(payload: Payload, context: JobContext): Promise<void>
  /** Runs until it counts as dead; then it stays visible and can be retried by hand. Default 12, about five hours. */
  maxAttempts?: number
  /** The wait after a failed attempt, where the default (e^attempt seconds, at most 6 hours) is too short. */
  retryDelayMs?: (attempt: number) => number
}

const DEFAULT_MAX_ATTEMPTS = 12

/**
 * @example
 * export const sendMail = defineJob({
 *   name: 'mail.send',
 *   payload: z.object({ to: z.string() }),
 *   run: async ({ to }, { log }) => { … },
 * })
 * await tx.enqueue(sendMail, { to })
 */
export function defineJob<Payload>(input: JobInput<Payload>): JobDefinition<Payload> {
  const { name, payload: schema, maxAttempts = DEFAULT_MAX_ATTEMPTS, retryDelayMs } = input
  return {
    name,
    maxAttempts,
    retryDelayMs,
    async execute(raw, context) {
      const parsed = schema.safeParse(raw)
      if (!parsed.success) throw new PermanentJobError(`The payload does not fit ${name}: ${parsed.error.message}`)
      await input.run(parsed.data, context)
    },
  }
}

/** Thrown by a job that cannot succeed however often it runs: it becomes a dead letter at once. */
export class PermanentJobError extends Error {
  override readonly name = 'PermanentJobError'
}
