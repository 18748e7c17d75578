import { GitError, type GitErrorCode } from '../git/index.ts'
import { invalid, type Problem, problem } from '../kernel/http/index.ts'

/** What git refused, as an answer. Its sentence is for people; its private words go to the log alone. */
export function toProblem(error: GitError): Problem {
  const details = { say: error.message, cause: error, ...(error.privateText ? { privately: error.privateText } : {}) }
  if (missing.includes(error.code)) return problem('not_found', details)
  if (refs.includes(error.code)) return problem('invalid_ref', details)
  if (error.code === 'invalid_input') return invalid([{ path: 'request', message: error.message }])
  return problem('repository_unavailable', details)
}

/** Runs git on behalf of a call: its refusals become answers, everything else passes. */
export async function answerGit<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw GitError.isInstance(error) ? toProblem(error) : error
  }
}

const missing: readonly GitErrorCode[] = ['invalid_path', 'path_not_found']
const refs: readonly GitErrorCode[] = ['invalid_ref', 'ref_not_found', 'ambiguous_ref', 'too_large']
