import { problem } from '../../kernel/http/index.ts'

/** Turns the database's refusal of a second row with the same name into one that a person can act on. */
export async function orNameTaken<Result>(work: PromiseLike<Result>, say: string): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw isUniqueViolation(error) ? problem('name_taken', { say, cause: error }) : error
  }
}

function isUniqueViolation(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && cause.code === '23505') return true
  }
  return false
}
