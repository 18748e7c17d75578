import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inRepository } from '../setup/repository.mjs'
import { findEntry } from './workspaces.mjs'

/** @typedef {import('./workspaces.mjs').Workspace} Workspace */

const sharedInputs = ['package-lock.json', 'tsconfig.json', 'tsdown.config.ts']
const notInputs = /^(dist|node_modules|\..*)$|\.(md|test\.tsx?|test-d\.ts|log|tsbuildinfo)$/
const hashFile = '.build-hash'

/**
 * What the build of each workspace depends on: its own files (tests and prose left out), the shared configuration,
 * the lock file, and the same of every workspace it needs.
 *
 * @param {Workspace[]} workspaces in dependency order
 * @returns {Map<string, string>} hash by workspace name
 */
export function hashInputs(workspaces) {
  const shared = createHash('sha256')
  for (const path of sharedInputs) addFile(shared, inRepository(path), path)
  const sharedHash = shared.digest('hex')

  /** @type {Map<string, string>} */
  const hashes = new Map()
  for (const workspace of workspaces) {
    const hash = createHash('sha256').update(sharedHash)
    for (const name of workspace.needs) hash.update(`${name} ${hashes.get(name)}\n`)
    addFolder(hash, workspace.folder, '')
    hashes.set(workspace.name, hash.digest('hex'))
  }
  return hashes
}

/**
 * @param {Workspace} workspace
 * @param {string | undefined} hash
 */
export function isBuilt(workspace, hash) {
  const stored = join(workspace.folder, 'dist', hashFile)
  return existsSync(mainOutput(workspace)) && existsSync(stored) && readFileSync(stored, 'utf8') === hash
}

/** @param {Workspace} workspace */
export const hashPath = (workspace) => join(workspace.folder, 'dist', hashFile)

/** @param {Workspace} workspace */
export const mainOutput = (workspace) =>
  join(workspace.folder, 'dist', outputOf[findEntry(workspace) ?? ''] ?? 'index.mjs')

/** @type {Record<string, string>} */
const outputOf = { 'src/main.ts': 'main.mjs', 'index.html': 'index.html' }

/**
 * @param {import('node:crypto').Hash} hash
 * @param {string} folder
 * @param {string} prefix
 */
function addFolder(hash, folder, prefix) {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    if (notInputs.test(entry.name)) continue
    const path = join(folder, entry.name)
    const name = `${prefix}${entry.name}`
    if (entry.isDirectory()) addFolder(hash, path, `${name}/`)
    if (entry.isFile()) addFile(hash, path, name)
  }
}

/**
 * @param {import('node:crypto').Hash} hash
 * @param {string} path
 * @param {string} name
 */
function addFile(hash, path, name) {
  if (!existsSync(path)) return
  const content = readFileSync(path)
  hash.update(`${name} ${content.length}\n`).update(content)
}
