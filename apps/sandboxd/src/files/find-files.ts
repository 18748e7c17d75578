/** The best matches of a fuzzy query, best first; every letter of the query occurs in order. */
export function findFiles(
  files: readonly string[],
  query: string,
  type: string | undefined,
  limit: number,
): readonly string[] {
  const candidates = type === 'directory' ? foldersOf(files) : files
  const wanted = query.trim().toLowerCase()
  if (wanted === '') return [...candidates].slice(0, limit)
  const scored: { path: string; score: number }[] = []
  for (const path of candidates) {
    const score = scorePath(path.toLowerCase(), wanted)
    if (score > 0) scored.push({ path, score })
  }
  scored.sort(
    (one, other) => other.score - one.score || one.path.length - other.path.length || (one.path < other.path ? -1 : 1),
  )
  return scored.slice(0, limit).map(({ path }) => path)
}

function foldersOf(files: readonly string[]): readonly string[] {
  const folders = new Set<string>()
  for (const file of files) {
    for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1)) {
      const folder = `${file.slice(0, end)}/`
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  return [...folders].sort()
}

/** Zero: no match. The whole query in the file's name beats one in its path, which beats scattered letters. */
function scorePath(path: string, wanted: string): number {
  const nameAt = path.lastIndexOf('/', path.length - 2) + 1
  const name = path.slice(nameAt)
  if (name === wanted) return 1_000_000
  const inName = name.indexOf(wanted)
  if (inName === 0) return 900_000
  if (inName > 0) return 800_000
  if (path.includes(wanted)) return 700_000
  return scoreScattered(path, wanted)
}

function scoreScattered(path: string, wanted: string): number {
  let score = 1
  let at = -1
  for (const letter of wanted) {
    if (letter === ' ') continue
    const next = path.indexOf(letter, at + 1)
    if (next < 0) return 0
    const before = path[next - 1]
    if (next === at + 1) score += 10
    else if (before === undefined || '/-_. '.includes(before)) score += 6
    at = next
  }
  return score
}
