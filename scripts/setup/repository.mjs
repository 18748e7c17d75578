import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder these scripts work on: the one that holds `scripts/`, wherever it was cloned or copied to. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** @param {string[]} segments */
export const inRepository = (...segments) => join(root, ...segments)

/** What the tools of this repository run on (tsdown and vite refuse anything older). */
export const oldestNode = '20.19.0'

/**
 * @param {string} version
 * @param {string} oldest
 */
export function isAtLeast(version, oldest) {
  const have = toNumbers(version)
  const want = toNumbers(oldest)
  for (const [index, part] of want.entries()) {
    const difference = (have[index] ?? 0) - part
    if (difference !== 0) return difference > 0
  }
  return true
}

/** @param {string} version */
const toNumbers = (version) =>
  version
    .replace(/^v/, '')
    .split('.')
    .map((part) => Number.parseInt(part, 10) || 0)
