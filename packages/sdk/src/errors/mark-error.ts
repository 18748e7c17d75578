/**
 * Names an error and brands it with a registered symbol. Two copies of this package in one bundle (or one page) have different
 * classes but the same symbols, so a guard recognises the errors of either copy.
 */
export function markError(error: Error, kind: string): void {
  error.name = kind
  Object.defineProperty(error, symbolOf(kind), { value: true })
}

/** True when a value carries the brand, whichever copy of the package made it. */
export function hasMark(value: unknown, kind: string): boolean {
  return Object(value)[symbolOf(kind)] === true
}

const symbolOf = (kind: string): symbol => Symbol.for(`@svc/sdk/${kind}`)
