import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { findCommand } from './find-command.mjs'
import { say, withProgress } from './progress.mjs'
import { inRepository } from './repository.mjs'
import { CommandFailed, runCommand } from './run-command.mjs'
import { systemPackages } from './system-packages.mjs'

/** @typedef {import('./system-packages.mjs').SystemPackage} SystemPackage */

const retryAfterMs = 24 * 60 * 60 * 1000
const failureMark = () => inRepository('.cache', 'system-install-failed')

/**
 * Installs what is missing where we may (Debian, as root); elsewhere, and when that fails, one line names what is
 * missing and how to get it. It never stops the caller, and after a failure it waits a day before it tries again, so
 * that a machine without network does not pay at every start.
 *
 * @param {'start' | 'test'} purpose
 */
export async function installSystemPackages(purpose) {
  const missing = listMissing(purpose)
  if (missing.length === 0) return
  const refusal = findRefusal()
  if (refusal) return sayMissing(missing, refusal)

  const names = missing.map((one) => one.name)
  try {
    await withProgress(`installing Debian packages (${names.join(', ')})`, () => installWithApt(names))
    rmSync(failureMark(), { force: true })
  } catch (error) {
    rememberFailure(error)
    sayMissing(missing, error instanceof Error ? error.message : String(error))
  }
}

/**
 * @param {'start' | 'test'} purpose
 * @returns {SystemPackage[]}
 */
export const listMissing = (purpose) =>
  systemPackages.filter((one) => one.active && one.for.includes(purpose) && !findCommand(one.command))

/** @param {SystemPackage[]} missing */
export const describeInstall = (missing) => {
  const names = missing.map((one) => one.name).join(' ')
  if (process.platform === 'darwin') return 'sandboxes on macOS need a container engine'
  const asRoot = process.getuid?.() === 0 ? '' : 'sudo '
  return existsSync('/etc/debian_version')
    ? `${asRoot}apt-get install ${names}`
    : `install ${names} with your package manager`
}

/** @returns {string | undefined} why we may not install */
function findRefusal() {
  if (process.env.SVC_NO_SYSTEM_INSTALL === '1') return 'SVC_NO_SYSTEM_INSTALL=1'
  if (!existsSync('/etc/debian_version')) return 'only Debian packages can be installed from here'
  if (process.getuid?.() !== 0) return 'only root may install'
  if (!findCommand('apt-get')) return 'apt-get is not here'
  const failedAt = statSync(failureMark(), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return Date.now() - failedAt < retryAfterMs ? 'the last attempt failed' : undefined
}

/** @param {string[]} names */
async function installWithApt(names) {
  // What a test starts for itself must not run as a service of this machine: runlevel 1 starts none.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  const patience = ['-o', 'Acquire::Retries=1', '-o', 'Acquire::http::Timeout=15', '-o', 'DPkg::Lock::Timeout=60']
  const install = ['install', '-y', '--no-install-recommends', ...patience, ...names]
  try {
    await runCommand('apt-get', install, { env })
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error
    // A fresh machine has no package lists yet, an old one has lists of versions that are gone.
    await runCommand('apt-get', ['update', ...patience], { env })
    await runCommand('apt-get', install, { env })
  }
}

/** @param {unknown} error */
function rememberFailure(error) {
  mkdirSync(inRepository('.cache'), { recursive: true })
  writeFileSync(failureMark(), error instanceof CommandFailed ? error.output : String(error))
}

/**
 * @param {SystemPackage[]} missing
 * @param {string} reason
 */
function sayMissing(missing, reason) {
  const what = missing.map((one) => `${one.name} (for ${one.neededBy})`).join(', ')
  say(`! missing: ${what}. To get it: ${describeInstall(missing)}. Not installed now: ${reason}`)
}
