import { hasSqlState, uniqueViolation } from '../../kernel/database/index.ts'
import { problem } from '../../kernel/http/index.ts'

/** Turns the database's refusal of a second row with the same name into one that a person can act on. */
export async function orNameTaken<Result>(work: PromiseLike<Result>, say: string): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw hasSqlState(error, uniqueViolation) ? problem('name_taken', { say, cause: error }) : error
  }
}
