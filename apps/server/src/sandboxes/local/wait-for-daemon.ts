import { request } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Reach = () => Promise<Socket>

/** A look at a socket that is not there costs next to nothing, and a daemon that waited serves within 30 ms. */
const closeLooks = 100
const shortPauseMs = 2
const longPauseMs = 25

/** Resolves once the daemon answers; rejects with `ended` when the machine is gone before that. */
export async function waitForDaemon(reach: Reach, ended: Promise<never>, deadlineMs: number): Promise<void> {
  const until = performance.now() + deadlineMs
  for (let looks = 1; ; looks += 1) {
    const answered = await Promise.race([askHealth(reach), ended])
    if (answered) return
    if (performance.now() > until) throw new Error(`its daemon did not answer within ${deadlineMs / 1000} seconds`)
    await Promise.race([sleep(looks < closeLooks ? shortPauseMs : longPauseMs), ended])
  }
}

async function askHealth(reach: Reach): Promise<boolean> {
  try {
    return await health(await reach())
  } catch {
    // Not there yet, or not listening yet: asked again until the deadline.
    return false
  }
}

function health(socket: Socket): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const asked = request({ path: '/svc/health', host: 'localhost', createConnection: () => socket, timeout: 2_000 })
    asked.once('error', reject)
    asked.once('timeout', () => asked.destroy(new Error('no answer')))
    asked.once('response', (response) => {
      response.resume()
      socket.destroy()
      resolve(response.statusCode === 200)
    })
    asked.end()
  })
}
