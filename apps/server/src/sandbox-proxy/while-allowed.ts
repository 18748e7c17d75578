import type { Socket } from 'node:net'
import type { Clock } from '../kernel/clock/index.ts'
import { Problem } from '../kernel/http/index.ts'

const recheckMs = 3_000

export interface Allowance {
  readonly clock: Clock
  /** The caller's connection. */
  readonly socket: Pick<Socket, 'destroy'>
  /** Throws the refusal once there is one. */
  check(): Promise<unknown>
}

/**
 * A terminal or a stream of events lasts for hours, and a session can be shared with fewer people or a link be revoked
 * meanwhile. So the question is asked again every few seconds, and the connection is cut with the first refusal. Where
 * nobody can answer it (the database is away) the connection stays.
 */
export async function whileAllowed<T>({ clock, socket, check }: Allowance, work: () => Promise<T>): Promise<T> {
  let isOver = false
  let timer = clock.setTimer(recheckMs, ask)

  async function ask(): Promise<void> {
    const isRefused = await check().then(
      () => false,
      (error: unknown) => Problem.isInstance(error) && error.status < 500,
    )
    if (isOver) return
    if (isRefused) socket.destroy()
    else timer = clock.setTimer(recheckMs, ask)
  }

  try {
    return await work()
  } finally {
    isOver = true
    timer.cancel()
  }
}
