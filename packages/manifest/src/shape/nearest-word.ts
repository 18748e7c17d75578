const LONGEST_WORD_CHARS = 64
const MOST_CANDIDATES = 500

/**
 * The candidate a person most likely meant: the same letters with other case or separators, else the one within a few
 * edits (a third of the word, at most three). Undefined when nothing is near.
 */
export function nearestWord(word: string, candidates: Iterable<string>): string | undefined {
  if (word === '' || word.length > LONGEST_WORD_CHARS) return undefined
  const folded = fold(word)
  const reach = Math.min(3, Math.max(1, Math.floor(word.length / 3)))
  let best: string | undefined
  let bestDistance = reach + 1
  let seen = 0
  for (const candidate of candidates) {
    seen += 1
    if (seen > MOST_CANDIDATES) break
    if (candidate.length > LONGEST_WORD_CHARS * 2) continue
    if (fold(candidate) === folded) return candidate
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue
    const distance = countEdits(word.toLowerCase(), candidate.toLowerCase())
    if (distance >= bestDistance || distance >= candidate.length) continue
    best = candidate
    bestDistance = distance
  }
  return best
}

/** True for two spellings that differ only in case or separators, or by a slip of the finger in a long enough word. */
export function isLikelyTypo(written: string, meant: string): boolean {
  if (written.length > LONGEST_WORD_CHARS) return false
  if (fold(written) === fold(meant)) return true
  const reach = meant.length >= 9 ? 2 : 1
  if (meant.length < 5 || Math.abs(written.length - meant.length) > reach) return false
  return countEdits(written.toLowerCase(), meant.toLowerCase()) <= reach
}

function fold(word: string): string {
  return word.toLowerCase().replace(/[\s_.-]/g, '')
}

/** Insertions, deletions, replacements and swaps of neighbours. */
function countEdits(from: string, to: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1]
      let edits = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      )
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (swapped) edits = Math.min(edits, (beforeLast[column - 2] ?? 0) + 1)
      current.push(edits)
    }
    beforeLast = last
    last = current
  }
  return last[to.length] ?? 0
}
