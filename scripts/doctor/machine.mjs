import { existsSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { inRepository, root } from '../setup/repository.mjs'
import { broken, ok, warning } from './finding.mjs'
import { dataDirectory, findWriteProblem, nearestExisting } from './places.mjs'
import { tryCommand } from './try-command.mjs'

const mebibyte = 1024 * 1024
const diskBrokenMb = 100
const diskWarningMb = 1_000
const memoryBrokenMb = 200
const memoryWarningMb = 500
const dayMs = 24 * 60 * 60 * 1000

/** @type {import('./finding.mjs').Examination[]} */
export const machine = [
  { part: 'disk', look: lookAtDisk },
  { part: 'temporary folder', look: lookAtTemporaryFolder },
  { part: 'memory', look: lookAtMemory },
  { part: 'clock', look: lookAtClock },
  { part: 'open files', look: lookAtOpenFiles },
  { part: 'processes', look: lookAtProcesses },
  { part: 'file watches', look: lookAtWatches },
]

function lookAtDisk() {
  const folder = nearestExisting(dataDirectory())
  const { bavail, bsize, files, ffree } = statfsSync(folder)
  const freeMb = Math.floor((bavail * bsize) / mebibyte)
  const fix = 'free some space, or set SVC_DATA_DIR to a folder on another disk'
  if (freeMb < diskBrokenMb) return broken(`${freeMb} MB free for ${folder}, ${diskBrokenMb} MB are needed`, fix)
  if (files > 0 && ffree < 1_000) return broken(`the disk of ${folder} has room for ${ffree} more files only`, fix)
  if (freeMb < diskWarningMb) return warning(`${freeMb} MB free for ${folder}: not for long`, fix)
  return ok(`${Math.floor(freeMb / 1024)} GB free for ${folder}`)
}

function lookAtTemporaryFolder() {
  const problem = existsSync(tmpdir()) ? findWriteProblem(tmpdir()) : 'it does not exist'
  if (!problem) return ok(tmpdir())
  return broken(`${tmpdir()} cannot be used: ${problem}`, 'set TMPDIR to a folder you may write to')
}

function lookAtMemory() {
  const limit = process.constrainedMemory?.() || Number.POSITIVE_INFINITY
  const freeMb = Math.floor(Math.min(freemem(), limit) / mebibyte)
  const fix = 'end other programs, or give this machine or container more memory'
  if (freeMb < memoryBrokenMb) return broken(`${freeMb} MB of memory free, ${memoryBrokenMb} MB are needed`, fix)
  if (freeMb < memoryWarningMb) return warning(`${freeMb} MB of memory free: enough to start, not for sandboxes`, fix)
  return ok(`${freeMb} MB free`)
}

/** Tokens, schedules and certificates go by the clock. It cannot be earlier than what is already written here. */
async function lookAtClock() {
  const { works, output } = await tryCommand('git', ['log', '-1', '--format=%ct'], { cwd: root })
  const committedMs = works ? Number(output) * 1000 : 0
  const lock = inRepository('package-lock.json')
  const writtenMs = existsSync(lock) ? statSync(lock).mtimeMs : 0
  const newestMs = Math.max(committedMs, writtenMs)
  const now = new Date(Date.now()).toISOString()
  const fix = 'set the clock (Linux: timedatectl set-ntp true)'
  if (Date.now() < newestMs - dayMs) return broken(`the clock says ${now}, earlier than the files of this clone`, fix)
  if (Date.now() > newestMs + 20 * 365 * dayMs) return broken(`the clock says ${now}, many years after this clone`, fix)
  return ok(now)
}

function lookAtOpenFiles() {
  const limit = readLimit('Max open files')
  const fix = 'raise it: ulimit -n 65536 (in a service: LimitNOFILE=65536)'
  if (limit < 512) return broken(`at most ${limit} open files`, fix)
  return limit < 4_096 ? warning(`at most ${limit} open files: little for many sessions`, fix) : ok(describe(limit))
}

function lookAtProcesses() {
  const limit = readLimit('Max processes')
  const fix = 'raise it: ulimit -u 4096 (in a service: TasksMax=4096)'
  if (limit < 64) return broken(`at most ${limit} processes`, fix)
  return limit < 512 ? warning(`at most ${limit} processes: little for sandboxes`, fix) : ok(describe(limit))
}

function lookAtWatches() {
  const watches = readNumber('/proc/sys/fs/inotify/max_user_watches')
  const instances = readNumber('/proc/sys/fs/inotify/max_user_instances')
  if (watches < 8_192) {
    return warning(`at most ${watches} file watches`, 'sysctl fs.inotify.max_user_watches=65536')
  }
  if (instances < 64) {
    return warning(`at most ${instances} watchers of files`, 'sysctl fs.inotify.max_user_instances=512')
  }
  return ok(describe(watches))
}

/** @param {number} limit */
const describe = (limit) => (Number.isFinite(limit) ? `up to ${limit}` : 'no limit known')

/**
 * @param {string} name a line of /proc/self/limits
 * @returns {number} the soft limit; infinite where there is none or none can be read
 */
function readLimit(name) {
  if (!existsSync('/proc/self/limits')) return Number.POSITIVE_INFINITY
  const line = readFileSync('/proc/self/limits', 'utf8')
    .split('\n')
    .find((one) => one.startsWith(name))
  const soft = line?.slice(name.length).trim().split(/\s+/)[0]
  return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft)
}

/** @param {string} path */
const readNumber = (path) => (existsSync(path) ? Number(readFileSync(path, 'utf8')) : Number.POSITIVE_INFINITY)
