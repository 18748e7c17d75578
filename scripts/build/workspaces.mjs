import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readJson } from '../setup/read-json.mjs'
import { inRepository, root } from '../setup/repository.mjs'

/**
 * @typedef {object} Workspace
 * @property {string} name the package name
 * @property {string} folder absolute
 * @property {string} path from the root of the repository
 * @property {Record<string, any>} manifest its package.json
 * @property {string[]} needs names of the workspaces it depends on
 */

/** @returns {Workspace[]} every workspace with a package.json, in dependency order */
export function listWorkspaces() {
  const patterns = /** @type {string[]} */ (readJson(inRepository('package.json'))?.workspaces ?? [])
  const found = patterns.flatMap(expandPattern).flatMap(readWorkspace)
  const names = new Set(found.map((workspace) => workspace.name))
  for (const workspace of found) {
    const { dependencies, devDependencies, peerDependencies } = workspace.manifest
    workspace.needs = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies }).filter((name) =>
      names.has(name),
    )
  }
  return sortByNeed(found)
}

/**
 * The file the build of a workspace starts from; undefined while it has nothing to build.
 *
 * @param {Workspace} workspace
 */
export const findEntry = (workspace) =>
  ['src/index.ts', 'src/main.ts'].find((entry) => existsSync(join(workspace.folder, entry)))

/** @param {string} pattern */
function expandPattern(pattern) {
  if (!pattern.endsWith('/*')) return [pattern]
  const parent = pattern.slice(0, -2)
  if (!existsSync(inRepository(parent))) return []
  return readdirSync(inRepository(parent))
    .sort()
    .map((name) => join(parent, name))
}

/**
 * @param {string} path
 * @returns {Workspace[]}
 */
function readWorkspace(path) {
  const folder = join(root, path)
  const manifest = readJson(join(folder, 'package.json'))
  return manifest ? [{ name: manifest.name ?? basename(path), folder, path, manifest, needs: [] }] : []
}

/** @param {Workspace[]} workspaces */
function sortByNeed(workspaces) {
  /** @type {Workspace[]} */
  const sorted = []
  const waiting = new Set(workspaces)
  while (waiting.size > 0) {
    const ready = [...waiting].filter((one) => one.needs.every((name) => sorted.some((done) => done.name === name)))
    if (ready.length === 0) {
      const names = [...waiting].map((one) => one.name).join(', ')
      throw new Error(`The workspaces ${names} depend on each other in a circle: remove one of those dependencies.`)
    }
    for (const one of ready) {
      sorted.push(one)
      waiting.delete(one)
    }
  }
  return sorted
}
