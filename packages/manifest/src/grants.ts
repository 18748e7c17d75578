/** What a grant resolves to: everything, nothing, or the named things. `*` in a list of permissions is everything. */
export type GrantSet = 'all' | 'none' | string[]

/**
 * Absent gives the default; `''`, `none` and any unknown word give `none`; a list keeps its trimmed, non-empty strings.
 * Fails closed: anything that is not a recognised grant grants nothing.
 *
 * @example resolveGrantSet(['github', ' '], 'none') // ['github']
 */
export function resolveGrantSet(value: unknown, fallback: GrantSet): GrantSet {
  if (value === undefined || value === null) return fallback
  if (value === 'all') return 'all'
  if (!Array.isArray(value)) return 'none'
  return value.flatMap((item) => (typeof item === 'string' && item.trim() !== '' ? [item.trim()] : []))
}

export function isGrantWord(value: unknown): value is 'all' | 'none' {
  return value === 'all' || value === 'none'
}
