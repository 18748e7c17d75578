import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import type { TextMatch, TextSearch } from './find-text.ts'

const maxMatches = 500
const maxFileBytes = 4 * 1024 * 1024
const maxLineChars = 2_000

/** True in the thread of a text search, which then does that and nothing else. */
export function runSearchWorker(): boolean {
  if (isMainThread || !isSearch(workerData)) return false
  const { workspace, files, pattern } = workerData.textSearch
  let left = maxMatches
  for (const path of files) {
    const found = searchFile(workspace, path, new RegExp(pattern, 'gu'), left)
    // Told file by file, so that what was found before the deadline is not lost.
    if (found.length > 0) parentPort?.postMessage(found)
    left -= found.length
    if (left <= 0) break
  }
  return true
}

const isSearch = (value: unknown): value is { textSearch: TextSearch } =>
  typeof value === 'object' && value !== null && 'textSearch' in value

function searchFile(workspace: string, path: string, pattern: RegExp, limit: number): TextMatch[] {
  const text = readText(join(workspace, path))
  if (text === undefined) return []
  const found: TextMatch[] = []
  let offset = 0
  for (const [index, line] of text.split('\n').entries()) {
    const submatches = line.length > 100_000 ? [] : matchLine(line, pattern)
    if (submatches.length > 0) {
      const lines = line.slice(0, maxLineChars)
      found.push({ path, lines, line_number: index + 1, absolute_offset: offset, submatches })
      if (found.length >= limit) break
    }
    offset += Buffer.byteLength(line) + 1
  }
  return found
}

function matchLine(line: string, pattern: RegExp): { start: number; end: number }[] {
  const places: { start: number; end: number }[] = []
  for (const match of line.matchAll(pattern)) {
    if (match[0] !== '') places.push({ start: match.index, end: match.index + match[0].length })
    if (places.length >= 100) break
  }
  return places
}

/** Undefined for what is no text, too large, or a link: the search stays in the workspace. */
function readText(path: string): string | undefined {
  let file: number | undefined
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const found = fstatSync(file)
    if (!found.isFile() || found.size > maxFileBytes) return undefined
    const bytes = readFileSync(file)
    return bytes.subarray(0, 8_192).includes(0) ? undefined : bytes.toString('utf8')
  } catch {
    // Removed since it was listed, or closed: no match in it.
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
