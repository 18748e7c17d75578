/**
 * Where to go after a form, when that is a path of this instance as an address writes it; everything else becomes the
 * fallback. No header can hold more than ASCII.
 */
export function safePath(given: string, fallback: string): string {
  if (!/^\/(?![/\\])[!-[\]-~]*$/.test(given) || given.length > 1024) return fallback
  const base = 'http://here.invalid'
  return URL.canParse(given, base) && new URL(given, base).origin === base ? given : fallback
}
