import { conflicts } from './conflicts.ts'
import { failures } from './failures.ts'
import { limits } from './limits.ts'
import { malformed } from './malformed.ts'
import type { ProblemRow } from './problem-row.ts'
import { refused } from './refused.ts'

/**
 * The one table from error code to status, sentence and next step. Server, client, command line, dashboard and docs
 * all read it.
 */
const table = { ...malformed, ...refused, ...conflicts, ...limits, ...failures }

export type ProblemCode = keyof typeof table

export const problems: Readonly<Record<ProblemCode, ProblemRow>> = table

export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problems, code)
}
