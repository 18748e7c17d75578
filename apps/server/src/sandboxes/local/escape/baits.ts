import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'

/** Things on the host that a guest must not reach. Each is open to every user of the host, and each says who came. */
export interface Baits {
  readonly folder: string
  readonly file: string
  readonly socket: string
  readonly abstract: string
  readonly port: number
  /** Addresses of the host besides loopback. */
  readonly addresses: readonly string[]
  readonly pid: number
  readonly isAlive: () => boolean
  /** Connections that somebody made. */
  readonly visits: () => number
  close(): Promise<void>
}

export const word = 'BAIT-WORD'

export async function layBaits(): Promise<Baits> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bait-'))
  const file = join(folder, 'secret')
  await writeFile(file, word, { mode: 0o644 })
  let visits = 0
  const open = async (where: Parameters<Server['listen']>[0]) => {
    const server = createServer((connection) => {
      visits += 1
      connection.on('error', () => undefined).end(word)
    })
    await new Promise<void>((resolve) => server.listen(where, resolve))
    return server
  }
  const socket = join(folder, 'socket')
  const abstract = `svc-bait-${process.pid}`
  const tcp = await open({ port: 0, host: '0.0.0.0' })
  const servers = [tcp, await open({ path: socket, writableAll: true, readableAll: true })]
  const sleeper: ChildProcess = spawn('perl', ['-MIO::Socket::UNIX', '-e', abstractServer, abstract], {
    stdio: 'ignore',
  })
  return {
    folder,
    file,
    socket,
    abstract,
    port: (tcp.address() as AddressInfo).port,
    addresses: Object.values(networkInterfaces()).flatMap(
      (list) =>
        list?.flatMap(({ address, internal, family }) => (internal || family !== 'IPv4' ? [] : [address])) ?? [],
    ),
    pid: sleeper.pid ?? -1,
    isAlive: () => sleeper.exitCode === null && sleeper.signalCode === null,
    visits: () => visits,
    async close() {
      sleeper.kill('SIGKILL')
      for (const server of servers) server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const abstractServer = `my $s = IO::Socket::UNIX->new(Local => "\\0$ARGV[0]", Listen => 5) or die; while (my $c = $s->accept) { print $c "${word}"; close $c }`
