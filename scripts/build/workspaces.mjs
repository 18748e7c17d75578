import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readJson } from '../setup/read-json.mjs'
import { root } from '../setup/repository.mjs'

/**
 * @typedef {object} Workspace
 * @property {string} name the package name
 * @property {string} folder absolute
 * @property {string} path from the root of the repository
 * @property {Record<string, any>} manifest its package.json
 * @property {string[]} needs names of the workspaces it depends on
 */

/**
 * @param {string} [repository]
 * @returns {Workspace[]} every workspace with a package.json, in dependency order
 */
export function listWorkspaces(repository = root) {
  const patterns = /** @type {string[]} */ (readJson(join(repository, 'package.json'))?.workspaces ?? [])
  const paths = patterns.flatMap((pattern) => expandPattern(repository, pattern))
  const found = paths.flatMap((path) => readWorkspace(repository, path))
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
  ['src/index.ts', 'src/main.ts', 'index.html'].find((entry) => existsSync(join(workspace.folder, entry)))

/**
 * @param {string} repository
 * @param {string} pattern
 */
function expandPattern(repository, pattern) {
  if (!pattern.endsWith('/*')) return [pattern]
  const parent = pattern.slice(0, -2)
  if (!existsSync(join(repository, parent))) return []
  return readdirSync(join(repository, parent))
    .sort()
    .map((name) => join(parent, name))
}

/**
 * @param {string} repository
 * @param {string} path
 * @returns {Workspace[]}
 */
function readWorkspace(repository, path) {
  const folder = join(repository, path)
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
