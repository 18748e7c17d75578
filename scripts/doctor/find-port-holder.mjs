import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

const listening = '0A'

/**
 * @param {number} port
 * @returns {string | undefined} the process that listens there, where /proc tells
 */
export function findPortHolder(port) {
  const sockets = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listSockets(table, port)))
  if (sockets.size === 0) return undefined
  const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && holdsSocket(name, sockets))
  return pid ? `process ${pid} (${readFileSync(`/proc/${pid}/comm`, 'utf8').trim()})` : undefined
}

/**
 * @param {string} table
 * @param {number} port
 */
function listSockets(table, port) {
  if (!existsSync(table)) return []
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return readFileSync(table, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(suffix) && fields[3] === listening)
    .map((fields) => `socket:[${fields[9]}]`)
}

/**
 * @param {string} pid
 * @param {Set<string>} sockets
 */
function holdsSocket(pid, sockets) {
  try {
    const folder = `/proc/${pid}/fd`
    return readdirSync(folder).some((fd) => sockets.has(readlinkSync(`${folder}/${fd}`)))
  } catch {
    // Another user's process, or one that ended while we looked.
    return false
  }
}
