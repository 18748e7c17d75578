import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../../../../../tests/support/find-free-port.ts'

/** Where OpenSSH's server is, or undefined where it is not installed. */
export function findSshd(): string | undefined {
  const folders = ['/usr/sbin', '/usr/local/sbin', '/usr/bin', ...(process.env.PATH ?? '').split(':')]
  return folders.map((folder) => join(folder, 'sshd')).find((path) => existsSync(path))
}

export interface SshHost {
  /** `ssh://user@localhost:<port>`; paths below it are paths of this machine. */
  readonly origin: string
  /** Opens it. */
  readonly privateKey: string
  /** The public host key, as a client pins it. */
  hostKey(): string
  /** The same place with another host key, as an impostor would show. */
  changeHostKey(): Promise<void>
  close(): Promise<void>
}

/** A real sshd on loopback that lets this user in by key. */
export async function startSshd(sshd: string, folder: string): Promise<SshHost> {
  const at = (name: string) => join(folder, name)
  const makeKey = (name: string) => {
    rmSync(at(name), { force: true })
    rmSync(at(`${name}.pub`), { force: true })
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', at(name)])
  }
  makeKey('client')
  makeKey('host')
  const port = await findFreePort()
  const config = [
    'ListenAddress 127.0.0.1',
    `Port ${port}`,
    `HostKey ${at('host')}`,
    `AuthorizedKeysFile ${at('client.pub')}`,
    `PidFile ${at('pid')}`,
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
  ]
  writeFileSync(at('config'), `${config.join('\n')}\n`)
  // OpenSSH locks its unprivileged half into this folder; without the service nobody has made it.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })

  let child: ChildProcess | undefined
  const start = async () => {
    child = spawn(sshd, ['-D', '-e', '-f', at('config')], { stdio: 'ignore' })
    await waitForPort(port)
  }
  const stop = async () => {
    const running = child
    child = undefined
    if (!running) return
    const exited = new Promise((resolve) => running.once('exit', resolve))
    running.kill('SIGTERM')
    await exited
  }
  await start()
  return {
    origin: `ssh://${userInfo().username}@localhost:${port}`,
    privateKey: readFileSync(at('client'), 'utf8'),
    hostKey: () => readFileSync(at('host.pub'), 'utf8').split(' ').slice(0, 2).join(' '),
    async changeHostKey() {
      await stop()
      makeKey('host')
      await start()
    },
    close: stop,
  }
}

async function waitForPort(port: number): Promise<void> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true))
      socket.on('error', () => resolve(false))
      socket.on('connect', () => socket.destroy())
    })
    if (isOpen) return
    await sleep(50)
  }
  throw new Error('sshd did not open its port')
}
