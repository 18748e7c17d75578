import { writeFileSync } from 'node:fs'
import { withProgress } from '../setup/progress.mjs'
import { inRepository } from '../setup/repository.mjs'
import { CommandFailed, runCommand } from '../setup/run-command.mjs'
import { hashInputs, hashPath, isBuilt } from './input-hash.mjs'
import { findEntry, listWorkspaces } from './workspaces.mjs'

/** @typedef {import('./workspaces.mjs').Workspace} Workspace */

const buildsAtOnce = 2

/** @returns {{ stale: Workspace[], all: Workspace[], hashes: Map<string, string> }} what a build would do now */
export function planBuild() {
  const workspaces = listWorkspaces()
  const hashes = hashInputs(workspaces)
  const all = workspaces.filter(findEntry)
  const stale = all.filter((workspace) => !isBuilt(workspace, hashes.get(workspace.name)))
  return { stale, all, hashes }
}

/**
 * Builds what changed, each workspace after those it needs, two at once. A build that was cut short leaves no hash
 * and is done again next time.
 *
 * @returns {Promise<{ built: string[], unchanged: number }>}
 */
export async function buildWorkspaces() {
  const { stale, all, hashes } = planBuild()
  const built = stale.map((workspace) => workspace.path)
  if (stale.length === 0) return { built, unchanged: all.length }

  const label = `building ${stale.length} of ${all.length} packages (${built.join(', ')})`
  await withProgress(label, (update) => buildInOrder(stale, hashes, update))
  return { built, unchanged: all.length - stale.length }
}

/**
 * @param {Workspace[]} stale
 * @param {Map<string, string>} hashes
 * @param {(detail: string) => void} update
 */
async function buildInOrder(stale, hashes, update) {
  const waiting = new Set(stale)
  /** @type {Map<string, Promise<void>>} */
  const running = new Map()
  while (waiting.size > 0 || running.size > 0) {
    for (const workspace of waiting) {
      if (running.size >= buildsAtOnce) break
      const blocked = workspace.needs.some((name) => running.has(name) || hasName(waiting, name))
      if (blocked) continue
      waiting.delete(workspace)
      const build = buildOne(workspace, hashes.get(workspace.name) ?? '')
      running.set(
        workspace.name,
        build.finally(() => running.delete(workspace.name)),
      )
    }
    update([...running.keys()].join(', '))
    await Promise.race(running.values())
  }
}

/**
 * @param {Set<Workspace>} workspaces
 * @param {string} name
 */
const hasName = (workspaces, name) => [...workspaces].some((workspace) => workspace.name === name)

/**
 * @param {Workspace} workspace
 * @param {string} hash
 */
async function buildOne(workspace, hash) {
  const args = findEntry(workspace) === 'index.html' ? bundlePage : bundleModules
  try {
    await runCommand(process.execPath, args, { cwd: workspace.folder })
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
    throw new Error(`${workspace.path} does not build:\n${keepMessage(error.output)}`, { cause: error })
  }
  writeFileSync(hashPath(workspace), hash)
}

// tsdown takes the nearest tsdown.config.ts: the workspace's own, else the one at the root. Every package names
// `.mjs` in its exports, whatever platform it is built for.
const bundleModules = [
  inRepository('node_modules', 'tsdown', 'dist', 'run.mjs'),
  '--fixed-extension',
  '--logLevel',
  'warn',
]
const bundlePage = [inRepository('node_modules', 'vite', 'bin', 'vite.js'), 'build', '--logLevel', 'warn']

/**
 * What the reader can act on: without the bundler's own stack and its word about Node versions.
 *
 * @param {string} output
 */
const keepMessage = (output) =>
  output
    .split('\n')
    .filter((line) => line.trim() && !/^\s+at |^\[tsdown\] Node\.js/.test(line))
    .join('\n')
