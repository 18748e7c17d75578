import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { root } from '../setup/repository.mjs'

/** Where the server would keep its data, read as the server reads it. */
export const dataDirectory = () => resolve(root, process.env.SVC_DATA_DIR || '.data')

/** The PostgreSQL cluster inside the data directory. */
export const clusterDirectory = () => join(dataDirectory(), 'postgres', 'data')

/**
 * The folder itself, or the nearest above it that exists.
 *
 * @param {string} folder
 * @returns {string}
 */
export const nearestExisting = (folder) => (existsSync(folder) ? folder : nearestExisting(dirname(folder)))

/**
 * Permissions do not tell whether a file system is read-only or full: only a real write does.
 *
 * @param {string} folder
 * @returns {string | undefined} why not
 */
export function findWriteProblem(folder) {
  try {
    const probe = mkdtempSync(join(folder, '.svc-probe-'))
    try {
      writeFileSync(join(probe, 'probe'), 'probe')
    } finally {
      rmSync(probe, { recursive: true, force: true })
    }
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
