import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readJson } from '../setup/read-json.mjs'
import { broken, ok, warning } from './finding.mjs'
import { clusterDirectory, dataDirectory, findWriteProblem, nearestExisting } from './places.mjs'

const postgresMajor = '18'

/** @type {import('./finding.mjs').Examination[]} */
export const dataDirectoryParts = [
  { part: 'data directory', look: lookAtFolder },
  { part: 'data files', look: lookAtCluster },
  { part: 'data lock', look: lookAtLock },
]

function lookAtFolder() {
  const folder = dataDirectory()
  const place = nearestExisting(folder)
  const fix = 'give your user write access to it, or set SVC_DATA_DIR to another folder'
  if (!statSync(place).isDirectory()) return broken(`${place} is in the way: it is no folder`, fix)
  const problem = findWriteProblem(place)
  if (problem) return broken(`${place} cannot be written: ${problem}`, fix)
  return ok(place === folder ? folder : `${folder} will be made at the first start`)
}

function lookAtCluster() {
  const cluster = clusterDirectory()
  if (!existsSync(cluster)) return ok('none yet')
  const aside = `move ${cluster} aside (a new one is made), or restore a backup`
  const versionFile = join(cluster, 'PG_VERSION')
  if (!existsSync(versionFile)) return broken(`${cluster} is no PostgreSQL data: PG_VERSION is missing`, aside)
  const version = readFileSync(versionFile, 'utf8').trim()
  if (version !== postgresMajor) {
    return broken(`${cluster} was made by PostgreSQL ${version}, this is ${postgresMajor}`, aside)
  }
  if (!existsSync(join(cluster, 'global', 'pg_control')))
    return broken(`${cluster} is damaged: pg_control is missing`, aside)
  return lookAtOwner(cluster)
}

/** @param {string} cluster */
function lookAtOwner(cluster) {
  const { uid, mode } = statSync(cluster)
  const self = process.getuid?.() ?? uid
  if (self === 0 && uid === 0) {
    return broken(`${cluster} belongs to root, and PostgreSQL does not run as root`, `chown -R nobody: ${cluster}`)
  }
  if (self !== 0 && uid !== self) {
    return broken(
      `${cluster} belongs to user ${uid}, you are ${self}`,
      `start as that user, or chown -R ${self} ${cluster}`,
    )
  }
  const permissions = mode & 0o777
  if (permissions !== 0o700 && permissions !== 0o750) {
    return broken(
      `${cluster} is open to others (${permissions.toString(8)}): PostgreSQL refuses it`,
      `chmod 700 ${cluster}`,
    )
  }
  return ok(`PostgreSQL ${postgresMajor} data, user ${uid}`)
}

function lookAtLock() {
  const holder = readLockHolder()
  const postmaster = readPostmaster()
  if (holder !== undefined && isAlive(holder)) return ok(`a server (process ${holder}) is using the data`)
  if (postmaster === undefined) return ok('free')
  if (isPostgres(postmaster)) {
    return warning(
      `PostgreSQL (process ${postmaster}) runs without its server`,
      'npm start stops it and starts its own',
    )
  }
  return warning('the last server did not stop cleanly', 'npm start recovers the data')
}

/** The server's lock is a folder of numbered files; the highest names the holder, empty when it was given back. */
function readLockHolder() {
  const folder = join(dataDirectory(), 'lock')
  if (!existsSync(folder)) return undefined
  const highest = Math.max(
    0,
    ...readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number),
  )
  return /** @type {number | undefined} */ (readJson(join(folder, String(highest)))?.pid)
}

function readPostmaster() {
  const path = join(clusterDirectory(), 'postmaster.pid')
  if (!existsSync(path)) return undefined
  return Number.parseInt(readFileSync(path, 'utf8'), 10) || undefined
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it lives, under another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** @param {number} pid */
function isPostgres(pid) {
  if (!isAlive(pid)) return false
  const commandLine = `/proc/${pid}/cmdline`
  return !existsSync(commandLine) || readFileSync(commandLine, 'utf8').includes('postgres')
}
