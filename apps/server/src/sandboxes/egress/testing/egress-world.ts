import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addAccount, addProject } from '../../../access/testing/test-access.ts'
import { readConfig } from '../../../kernel/config.ts'
import { createTestDatabase } from '../../../kernel/database/testing.ts'
import { newId } from '../../../kernel/ids/index.ts'
import { startKernel } from '../../../kernel/kernel.ts'
import { createLogger, createMemoryWriter } from '../../../kernel/log/index.ts'
import { createAddressPolicy, type Resolve } from '../../../kernel/outbound/index.ts'
import { createDial } from '../dial.ts'
import { createEgress, type EgressOptions } from '../index.ts'

export interface WorldOptions extends Partial<EgressOptions> {
  /** Addresses that count as public. Nothing: the proxy's own rule. */
  readonly open?: readonly string[]
  readonly resolve?: Resolve
  readonly env?: Record<string, string>
}

/** The egress proxy on a database of its own. Names lead to loopback when the test opened it. */
export async function startEgressWorld({ open, resolve, env, ...options }: WorldOptions = {}) {
  const database = await createTestDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'svc-egress-'))
  const stops: (() => void | Promise<void>)[] = []
  const kernel = await startKernel({
    config: readConfig({ SVC_DATA_DIR: folder, DATABASE_URL: database.connectionString, ...env }),
    log: createLogger({ writer: createMemoryWriter() }),
    onStop: (stop) => void stops.push(stop),
  })
  const policy = createAddressPolicy(open)
  const dial = createDial({ policy, resolve: resolve ?? (async () => ['127.0.0.1']) })
  const egress = createEgress(kernel, { platformPort: () => 1, ...(open ? { dial } : {}), ...options })
  const accountId = await addAccount(database)
  let sockets = 0

  async function openMachine(projectId?: string) {
    sockets += 1
    const machine = {
      socketPath: join(folder, `${sockets}.sock`),
      sandboxId: newId(),
      projectId: projectId ?? (await addProject(database, accountId)),
    }
    return { ...machine, ...(await egress.open(machine)) }
  }

  return {
    egress,
    kernel,
    database,
    accountId,
    openMachine,
    async readLog(sandboxId: string) {
      await egress.flushLog()
      const rows = await database.sql<
        { host: string; port: number; outcome: string; connections: number; bytesIn: number; bytesOut: number }[]
      >`select host, port, outcome, connections, bytes_in::integer as "bytesIn", bytes_out::integer as "bytesOut"
        from svc.egress_log where sandbox_id = ${sandboxId} order by entry_id`
      return rows.map((row) => ({ ...row }))
    },
    async stop() {
      await egress.stop()
      for (const stop of stops.reverse()) await stop()
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Asks for a tunnel. The answer's head, and the socket behind it. */
export function openTunnel(
  socketPath: string,
  authority: string,
): Promise<{ status: number; socket: Socket; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath)
    let text = ''
    const read = (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      if (end < 0) return
      const status = Number(text.slice(9, 12))
      if (status === 200) {
        socket.off('data', read)
        return resolve({ status, socket, body: text.slice(end + 4) })
      }
      const length = Number(/content-length: (\d+)/.exec(text)?.[1] ?? 0)
      if (text.length >= end + 4 + length) resolve({ status, socket, body: text.slice(end + 4) })
    }
    socket.on('data', read)
    socket.once('error', reject)
    socket.once('close', () => reject(new Error(`closed after ${JSON.stringify(text)}`)))
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)
  })
}

export async function listenOnLoopback(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address() as AddressInfo
  return address.port
}
