import { problem } from '../kernel/http/index.ts'
import type { Parts } from './parts.ts'

const hourMs = 3_600_000
const writesPerHour = 100
/** Of a project's own, and of one person's in a project. */
export const maxSecrets = 1000

/** `writer` is a person for their own values, so that nobody uses up what the project may write. */
export async function limitWrites({ kernel }: Parts, projectId: string, writer = ''): Promise<void> {
  const limit = kernel.rateLimits.rateLimit({ name: 'secrets:write', limit: writesPerHour, windowMs: hourMs })
  const take = await limit.take(`${projectId}:${writer}`)
  if (take.allowed) return
  throw problem('project_secret_write_limit', {
    headers: { 'retry-after': String(take.retryAfterSeconds) },
    extras: { retry_after_seconds: take.retryAfterSeconds },
  })
}
