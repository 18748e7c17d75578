import type { Usage } from '../catalog/price.ts'
import type { ServableModel } from '../resolve.ts'
import type { AttemptFailure } from './failure.ts'

/** Who makes a call, and what it is. */
export interface Caller {
  readonly projectId: string
  readonly accountId: string
  readonly sessionId: string | null
  readonly agentName: string | null
  readonly userId: string | null
  readonly keyId: string | null
  readonly requestId: string
  readonly endpoint: string
}

export interface Asking {
  readonly requestedModel: string
  readonly isStream: boolean
  /** Of the text alone. */
  readonly maxPromptTokens: number
  readonly pictures: number
  /** The prompt may be longer than what was sent, by how much only the provider knows. */
  readonly isLengthUnknown: boolean
  /** Something in it, or in the answer, may have a higher rate than text. */
  readonly isDearer: boolean
  /** Tools that the provider runs by itself. */
  readonly serverTools: readonly string[]
  readonly maxOutputTokens: number | undefined
  /** How many answers to one prompt. */
  readonly answerCount: number
  /** Embeddings have no output. */
  readonly hasOutput: boolean
}

export interface Outcome {
  readonly model: ServableModel | undefined
  readonly status: number
  readonly errorCode: string | null
  readonly errorMessage: string | null
  readonly usage: Usage | undefined
  /** The provider told no usage: what is counted is our own estimate. */
  readonly isEstimated?: boolean
  readonly attempts: readonly AttemptFailure[]
  readonly attemptCount: number
  readonly firstTokenMs: number | null
}
