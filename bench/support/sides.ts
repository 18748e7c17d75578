import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/**
 * A server under measurement in a process of its own, so that the load generator's cost is not counted as the
 * server's. The bench file starts itself again with `SVC_BENCH_SIDE` set and calls `serveSide` there.
 */
export interface Side {
  readonly name: string
  readonly port: number
  /** CPU time the process has used so far. */
  cpuMicros(): Promise<number>
  stop(): Promise<void>
}

export async function startSide(file: string, name: string): Promise<Side> {
  const child = fork(file, [], { env: { ...process.env, SVC_BENCH_SIDE: name } })
  const port = Number(await ask(child, 'port'))
  return {
    name,
    port,
    cpuMicros: async () => Number(await ask(child, 'cpu')),
    stop: async () => {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

/** In the child: start the named server, answer the parent's questions, leave with the parent. */
export async function serveSide(servers: Record<string, () => Promise<number>>): Promise<void> {
  const name = process.env.SVC_BENCH_SIDE ?? ''
  const start = servers[name]
  if (!start) throw new Error(`no side is called ${name}`)
  const port = await start()
  process.on('message', (question) => {
    const { user, system } = process.cpuUsage()
    process.send?.(question === 'port' ? port : user + system)
  })
  process.on('disconnect', () => process.exit(0))
}

/** A side that ends before it answers fails the bench, with what it left on the screen as the reason. */
async function ask(child: ChildProcess, question: 'port' | 'cpu'): Promise<unknown> {
  const answered = new AbortController()
  const { signal } = answered
  const ended = once(child, 'exit', { signal }).then(([code, killedBy]) => {
    throw new Error(`a side of the bench ended before it answered (${killedBy ?? `exit code ${code}`})`)
  })
  try {
    child.send(question)
    const [reply] = await Promise.race([once(child, 'message', { signal }), ended])
    return reply
  } finally {
    answered.abort()
    // Only the loser of the race is left, and it ends with the abort.
    ended.catch(() => undefined)
  }
}
