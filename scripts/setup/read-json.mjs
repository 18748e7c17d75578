import { readFileSync } from 'node:fs'

/**
 * @param {string} path
 * @returns {Record<string, any> | undefined} undefined when the file is missing or no JSON
 */
export function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    // Missing and unreadable are one answer here: the caller says what to do about it.
    return undefined
  }
}
