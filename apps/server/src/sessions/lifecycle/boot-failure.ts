import { Problem } from '../../kernel/http/index.ts'
import type { Failure } from '../schema.ts'

/** A boot that cannot succeed as things are; the message is for people. */
export class BootFailure extends Error {
  override readonly name = 'BootFailure'
  readonly category: Failure['category']

  constructor(category: Failure['category'], message: string) {
    super(message)
    this.category = category
  }
}

/** Somebody stopped, deleted or restarted the session meanwhile: nobody is told of a failure. */
export class BootCancelled extends Error {
  override readonly name = 'BootCancelled'
}

export function describeFailure(error: unknown): Failure {
  if (error instanceof BootFailure) {
    const { category, message } = error
    return { category, message, retryable: category !== 'invalid-secret-boundary-policy' }
  }
  if (Problem.isInstance(error)) {
    const message = error.next === undefined ? error.message : `${error.message} ${error.next}`
    return { category: categoryOf(error.code), message, retryable: true }
  }
  return { category: 'sandbox-provider', message: unexplained, retryable: true }
}

/** A machine that ended or a database that was away for a moment: the same boot may well succeed right after. */
export function mayPass(error: unknown): boolean {
  if (error instanceof BootFailure) return false
  return !Problem.isInstance(error) || error.status >= 500
}

/** What went wrong inside the platform is for whoever runs it. */
const unexplained = 'The machine of this session did not start. The log of the server tells why.'

function categoryOf(code: string): Failure['category'] {
  return code === 'repository_unavailable' || code === 'invalid_ref' ? 'git-auth' : 'sandbox-provider'
}
