import type { CheckContext } from './check-context.ts'
import { describeValue, listWords, quote } from './describe-value.ts'
import type { NumberShape, Pattern, TextShape } from './shape.ts'

/** More words than this are named by the nearest one and a count, not all listed. */
const LISTED_WORDS = 12

export function checkText(shape: TextShape, value: unknown, context: CheckContext): void {
  const problem = typeof value === 'string' ? findTextProblem(shape, value, context) : describeWrongType(shape, value)
  if (problem !== undefined) context.error(problem)
}

export function checkNumber(shape: NumberShape, value: unknown, context: CheckContext): void {
  const problem = findNumberProblem(shape, value)
  if (problem !== undefined) context.error(problem)
}

function findTextProblem(shape: TextShape, value: string, context: CheckContext): string | undefined {
  const own = shape.refuse?.get(value)
  if (own !== undefined) return own
  if (shape.words !== undefined) return findWordProblem(shape.words, value, context)
  if (shape.minChars !== undefined && value.length < shape.minChars) return 'must not be empty'
  if (shape.maxChars !== undefined && countChars(value, shape.maxChars) > shape.maxChars) {
    return `must be at most ${shape.maxChars} characters long, found ${countChars(value, 0)}`
  }
  if (shape.pattern === undefined || shape.pattern.regexp.test(value)) return undefined
  return `must be ${shape.pattern.says}, found ${describeValue(value)}${nearestForm(shape.pattern, value)}`
}

function describeWrongType(shape: TextShape, value: unknown): string {
  if (shape.words !== undefined) return `must be ${describeWords(shape.words)}, found ${describeValue(value)}`
  const quoted = typeof value === 'number' || typeof value === 'boolean' ? `; write it in quotes: "${value}"` : ''
  return `must be a string, found ${describeValue(value)}${quoted}`
}

function findNumberProblem(shape: NumberShape, value: unknown): string | undefined {
  const allowed = `${shape.integer ? 'an integer' : 'a number'}${describeRange(shape)}`
  if (typeof value !== 'number' || !Number.isFinite(value) || (shape.integer && !Number.isInteger(value))) {
    const unquote = typeof value === 'string' && /^\d{1,20}$/.test(value) ? `; write ${value} without quotes` : ''
    return `must be ${allowed}, found ${describeValue(value)}${unquote}`
  }
  if (value < (shape.min ?? -Infinity) || value > (shape.max ?? Infinity)) return `must be ${allowed}, found ${value}`
  if (!shape.except?.includes(value)) return undefined
  return `must not be ${value}: ${shape.except.join(' and ')} are used by the platform`
}

function findWordProblem(words: readonly string[], value: string, context: CheckContext): string | undefined {
  if (words.includes(value)) return undefined
  const near = context.suggest(value, words)
  const hint = near === undefined ? '' : `. Did you mean ${quote(near)}?`
  return `must be ${describeWords(words)}, found ${quote(value)}${hint}`
}

function describeWords(words: readonly string[]): string {
  if (words.length === 1) return listWords(words)
  if (words.length <= LISTED_WORDS) return `one of ${listWords(words)}`
  return `one of the ${words.length} known names (${words.slice(0, 3).join(', ')}, …)`
}

function describeRange(shape: NumberShape): string {
  if (shape.min !== undefined && shape.max !== undefined) return ` from ${shape.min} to ${shape.max}`
  if (shape.min !== undefined) return ` of at least ${shape.min}`
  return shape.max === undefined ? '' : ` of at most ${shape.max}`
}

function nearestForm(pattern: Pattern, value: string): string {
  const near = value.length > 200 ? undefined : pattern.nearest?.(value)
  return near === undefined || !pattern.regexp.test(near) ? '' : `. Did you mean ${quote(near)}?`
}

/** Characters as JSON Schema counts them (code points); exact only when the cheap upper bound exceeds `enough`. */
function countChars(value: string, enough: number): number {
  if (value.length <= enough) return value.length
  let count = 0
  for (const _ of value) count += 1
  return count
}
