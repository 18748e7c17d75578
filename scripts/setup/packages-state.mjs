import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listWorkspaces } from '../build/workspaces.mjs'
import { readJson } from './read-json.mjs'
import { inRepository } from './repository.mjs'

const platform = `${process.platform}-${process.arch}`
const stampPath = () => inRepository('node_modules', '.svc-packages')

/**
 * Whether node_modules is what the lock file says. The usual answer costs one hash and some fifty looks: a stamp with
 * the lock file's hash, and every direct dependency there. Packages somebody installed by hand are recognised by
 * npm's own record of what it installed, and get the stamp.
 *
 * @param {{ remember?: boolean }} [options] `remember: false` only looks
 * @returns {{ current: true } | { current: false, why: string }}
 */
export function checkPackages({ remember = true } = {}) {
  const lockPath = inRepository('package-lock.json')
  if (!existsSync(lockPath)) return { current: false, why: 'package-lock.json is missing' }
  if (!existsSync(inRepository('node_modules'))) return { current: false, why: 'node_modules is missing' }
  const missing = findMissingPackages()
  if (missing.length > 0) return { current: false, why: `missing in node_modules: ${missing.join(', ')}` }
  if (readStamp() === expectedStamp()) return { current: true }

  const difference = findDifference(readJson(lockPath), readJson(inRepository('node_modules', '.package-lock.json')))
  if (difference) return { current: false, why: difference }
  if (remember) writeStamp()
  return { current: true }
}

export function writeStamp() {
  writeFileSync(stampPath(), expectedStamp())
}

export function countLockedPackages() {
  const packages = readJson(inRepository('package-lock.json'))?.packages ?? {}
  return Object.entries(packages).filter(([path, entry]) => isInstalled(path, entry) && fitsPlatform(entry)).length
}

function expectedStamp() {
  const lockHash = createHash('sha256')
    .update(readFileSync(inRepository('package-lock.json')))
    .digest('hex')
  return `${lockHash} ${platform}`
}

function readStamp() {
  return existsSync(stampPath()) ? readFileSync(stampPath(), 'utf8') : undefined
}

function findMissingPackages() {
  const rootManifest = readJson(inRepository('package.json')) ?? {}
  const owners = [{ folder: inRepository(), manifest: rootManifest }, ...listWorkspaces()]
  return owners.flatMap(({ folder, manifest }) => {
    const { dependencies, devDependencies, optionalDependencies } = manifest
    const ours = Object.keys(optionalDependencies ?? {}).filter((name) => name.endsWith(`/${platform}`))
    const names = [...Object.keys({ ...dependencies, ...devDependencies }), ...ours]
    return names.filter((name) => !isThere(name, inRepository()) && !isThere(name, folder))
  })
}

/**
 * @param {string} name
 * @param {string} folder
 */
const isThere = (name, folder) => existsSync(join(folder, 'node_modules', name, 'package.json'))

/**
 * @param {Record<string, any> | undefined} lock
 * @param {Record<string, any> | undefined} installed
 */
function findDifference(lock, installed) {
  if (!lock?.packages) return 'package-lock.json is no lock file'
  if (!installed?.packages) return 'node_modules was not installed by npm'
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (!isInstalled(path, entry)) continue
    const have = installed.packages[path]
    if (!have && (entry.optional || entry.devOptional || entry.peer)) continue
    if (have?.version !== entry.version) {
      return `${path} is ${have?.version ?? 'missing'}, the lock file says ${entry.version}`
    }
  }
  return undefined
}

/**
 * @param {string} path
 * @param {any} entry
 */
const isInstalled = (path, entry) => path.includes('node_modules/') && !entry.link

/** @param {any} entry */
const fitsPlatform = (entry) =>
  (!entry.os || entry.os.includes(process.platform)) && (!entry.cpu || entry.cpu.includes(process.arch))
