import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { findPortHolder } from './find-port-holder.mjs'
import { broken, ok } from './finding.mjs'

const answerPatienceMs = 3_000

/** @type {import('./finding.mjs').Examination[]} */
export const network = [
  { part: 'loopback', look: lookAtLoopback },
  { part: 'port', look: lookAtPort },
]

async function lookAtLoopback() {
  const problem = await tryLoopback()
  if (!problem) return ok('127.0.0.1 can be used')
  return broken(`this machine cannot reach itself at 127.0.0.1 (${problem})`, 'ip link set lo up')
}

/** @returns {Promise<string | undefined>} */
async function tryLoopback() {
  const server = createServer((socket) => socket.destroy())
  try {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = /** @type {import('node:net').AddressInfo} */ (server.address())
    const socket = connect({ host: '127.0.0.1', port: address.port, timeout: answerPatienceMs })
    await once(socket, 'connect')
    socket.destroy()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    server.close()
  }
}

async function lookAtPort() {
  const host = process.env.HOST || '127.0.0.1'
  const text = process.env.PORT || '8008'
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    return broken(`PORT=${text} is no port`, 'set PORT to a number up to 65535')
  const problem = await tryListen(host, port)
  if (!problem) return ok(`${host}:${port} is free`)
  if (problem === 'EACCES') return broken(`you may not listen on port ${port}`, 'set PORT to one above 1023')
  if (problem !== 'EADDRINUSE') {
    return broken(`HOST=${host} is no address of this machine (${problem})`, 'set HOST to 127.0.0.1 or 0.0.0.0')
  }
  if (await isOurs(host, port)) return ok(`our server answers on ${host}:${port}`)
  const holder = findPortHolder(port)
  return broken(
    `${host}:${port} is taken${holder ? ` by ${holder}` : ''}`,
    `end it, or choose another: PORT=${port + 1} npm start`,
  )
}

/**
 * @param {string} host
 * @param {number} port
 * @returns {Promise<string | undefined>} the error code
 */
function tryListen(host, port) {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) => resolve('code' in error ? String(error.code) : error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

/**
 * @param {string} host
 * @param {number} port
 */
async function isOurs(host, port) {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  try {
    const response = await fetch(`http://${reachable}:${port}/v1/health`, {
      signal: AbortSignal.timeout(answerPatienceMs),
    })
    const body = /** @type {any} */ (await response.json())
    return typeof body.live === 'boolean' && Array.isArray(body.details)
  } catch {
    // Whatever it is, it does not speak as our server does.
    return false
  }
}
