import { z } from 'zod'

/** Small shapes that many operations share; each rule stands here once. */

export const uuid = z.uuid()

/** An instant on the wire: ISO-8601 with a zone. */
export const instant = z.iso.datetime({ offset: true })

/** A number in a query string. */
export const queryInteger = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^-?\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(minimum).max(maximum))

/** A switch in a query string: empty, `true` or `1` turn it on; `false` or `0` off. */
export const queryFlag = z.enum(['', 'true', '1', 'false', '0']).transform((value) => !['false', '0'].includes(value))

/** Opaque position in a list, handed back as it came. */
export const cursor = z.string().min(1).max(1024)
