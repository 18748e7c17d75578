import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chooseDisk } from './choose-disk.ts'
import { chooseLauncher } from './choose-launcher.ts'
import type { LaunchStep } from './launch-step.ts'
import { type Launcher, type LauncherKind, openLauncher } from './launcher.ts'
import { layoutOf } from './layout.ts'
import { makeDiskImage } from './make-disk.ts'
import { perlCommand, writeFrame } from './perl-launcher.ts'
import { runProgram } from './run-program.ts'
import { writeLines } from './shell-launcher.ts'

const isRoot = process.getuid?.() === 0
const kinds: LauncherKind[] = (await chooseLauncher()) === 'perl' ? ['perl', 'shell'] : ['shell']
const canMountDisks = (await chooseDisk()) === 'image'

let folder: string
const at = (name: string) => join(folder, name)
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-launcher-'))
  await chmod(folder, 0o755)
  await writeFile(at('filter'), '')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const open = (kind: LauncherKind, canMount = false) => openLauncher(kind, at('filter'), canMount)
const make = (name: string): LaunchStep => ({ do: 'run', lines: [`: > '${at(name)}'`] })
const become = (script: string, uid?: number): LaunchStep => ({ do: 'become', uid, command: ['sh', '-c', script] })

/** What it, and what it became, said until it ended. */
async function listen({ child, ended }: Launcher): Promise<{ code: number | null; said: string; complained: string }> {
  const [said, complained] = await Promise.all([child.stdout, child.stderr].map((stream) => stream && text(stream)))
  await ended
  return { code: child.exitCode, said: said ?? '', complained: complained ?? '' }
}

describe.runIf(process.platform === 'linux').each(kinds)('what becomes a machine, as %s', (kind) => {
  test('it does what it is told in order, and ends when nobody tells it more', async () => {
    const launcher = open(kind)
    launcher.say([make('first')])
    launcher.say([{ do: 'run', lines: [`[ -e '${at('first')}' ]`] }, make('second')])
    launcher.dismiss()
    expect(await listen(launcher)).toMatchObject({ code: 0, complained: '' })
    expect(existsSync(at('second'))).toBe(true)
  })

  test('what fails is the last thing it does', async () => {
    const launcher = open(kind)
    launcher.say([{ do: 'run', lines: ['false', `: > '${at('same')}'`] }, make('after')])
    launcher.say([make('later')])
    expect((await listen(launcher)).code).toBe(1)
    expect(['same', 'after', 'later'].filter((name) => existsSync(at(name)))).toEqual([])
  })

  test('a group of limits that is gone keeps it from going on, and it says so', async () => {
    const launcher = open(kind)
    launcher.say([{ do: 'join', file: at('gone/tasks') }, make('after')])
    const { code, complained } = await listen(launcher)
    expect(code).not.toBe(0)
    expect(complained).toContain(at('gone/tasks'))
    expect(existsSync(at('after'))).toBe(false)
  })

  test('of what was not said to its end nothing is done', async () => {
    const launcher = open(kind)
    const whole = (kind === 'perl' ? writeFrame : writeLines)([make('first half'), make('second half')])
    launcher.child.stdin?.write(whole.slice(0, -2))
    launcher.dismiss()
    await launcher.ended
    expect(existsSync(at('first half'))).toBe(false)
  })

  test('words reach the program that it becomes as they are, which has no input', async () => {
    const launcher = open(kind)
    const words = ['', ' ', "it's", '$HOME `id`', 'two\nlines', 'ü', '-n']
    const script = 'printf "%s|" "$@"; cat'
    launcher.say([{ do: 'become', uid: undefined, command: ['sh', '-c', script, 'sh', ...words] }])
    expect((await listen(launcher)).said).toBe(`${words.join('|')}|`)
  })

  test('a program that is not there is told', async () => {
    const launcher = open(kind)
    launcher.say([{ do: 'become', uid: undefined, command: [at('nothing')] }])
    const { code, complained } = await listen(launcher)
    expect(code).not.toBe(0)
    expect(complained).toContain(at('nothing'))
  })
})

describe.runIf(isRoot && canMountDisks).each(kinds)('what it mounts for a machine, as %s', (kind) => {
  const uid = 1_700_000_001

  beforeEach(async () => {
    for (const name of ['data', 'data/disk', 'blanks', 'view']) await mkdir(at(name))
    await writeFile(at('data/a file'), 'there')
    await makeDiskImage({ ...layoutOf(folder), blanks: at('blanks') }, at('data/disk.img'), 1 / 16)
  })

  test('is seen by what it becomes and by nobody else, and belongs to the machine’s user', async () => {
    const [own, file] = [at('view/own'), at('view/file0')]
    const launcher = open(kind, true)
    launcher.say([
      { do: 'view', at: at('view'), folders: [own], files: [file] },
      { do: 'bind', from: at('data'), at: own },
      { do: 'bind', from: at('data/a file'), at: file },
      { do: 'mountDisk', image: at('data/disk.img'), at: join(own, 'disk') },
      { do: 'fillDisk', disk: join(own, 'disk'), owner: uid },
    ])
    const look = [
      `cd '${own}/disk'`,
      "cat ../../file0; stat -c ' %n %u %g %a' workspace home",
      'touch workspace/mine home/mine && ! touch mine 2>/dev/null && echo own',
      'cat /proc/self/mountinfo',
    ]
    launcher.say([become(look.join('; '), uid)])
    const { said, complained } = await listen(launcher)
    expect(complained).toBe('')
    expect(said.startsWith(`there workspace ${uid} ${uid} 700\n home ${uid} ${uid} 700\nown\n`)).toBe(true)
    const options = said.split('\n').find((line) => line.includes(` ${own}/disk `))
    expect(options).toMatch(/ rw,nosuid,nodev,noatime .* ext4 \/dev\/loop\d+ rw,discard/)
    expect(await readFile('/proc/self/mountinfo', 'utf8')).not.toContain(folder)
    // Once filled, a disk is left as it is.
    const again = open(kind, true)
    again.say([
      { do: 'mountDisk', image: at('data/disk.img'), at: at('data/disk') },
      { do: 'fillDisk', disk: at('data/disk'), owner: uid + 1 },
    ])
    again.say([become(`ls '${at('data/disk')}'/*; stat -c %u '${at('data/disk/home')}'`)])
    expect((await listen(again)).said).toMatch(new RegExp(`home:\\nmine\\n[^]*workspace:\\nmine\\n${uid}\\n$`))
  })

  test('a disk that somebody still has is mounted from the same device: two would ruin it', async () => {
    const mountedFrom = async (launcher: Launcher) => {
      launcher.say([{ do: 'mountDisk', image: at('data/disk.img'), at: at('data/disk') }])
      launcher.say([{ do: 'run', lines: [`grep ' ${at('data/disk')} ' /proc/self/mountinfo`] }])
      const [line] = launcher.child.stdout ? await once(launcher.child.stdout, 'data') : []
      return /\/dev\/loop\d+/.exec(String(line))?.[0]
    }
    const [first, second] = [open(kind, true), open(kind, true)]
    const device = await mountedFrom(first)
    expect(device).toMatch(/^\/dev\/loop/)
    expect(await mountedFrom(second)).toBe(device)
    for (const launcher of [first, second]) launcher.dismiss()
    await Promise.all([first.ended, second.ended])
  })
})

test.runIf(isRoot && kinds.includes('perl'))(
  'whoever launches, the program is the same process to the kernel',
  async () => {
    const look = [
      'grep -E "^(Umask|Uid|Gid|Groups|Threads|Sig[PBIC]|ShdPnd|Cap|NoNewPrivs|Seccomp)" /proc/self/status',
      'grep core /proc/self/limits',
      'cat /proc/self/environ | tr "\\0" "\\n" | grep -vE "^(_|PWD|OLDPWD|SHLVL)="',
      'for fd in /proc/self/fd/*; do echo "$fd $(readlink $fd | sed "s/[0-9].*//")"; done',
      'pwd',
    ]
    const seen = await Promise.all(
      kinds.map(async (kind) => {
        const launcher = open(kind, true)
        launcher.say([become(look.join('; '), 1_700_000_001)])
        return listen(launcher)
      }),
    )
    expect(seen[0]).toEqual(seen[1])
    expect(seen[0]?.said).toMatch(/NoNewPrivs:\s1\n/)
    expect(seen[0]?.said).toMatch(/CapEff:\s0+\n/)
    expect(seen[0]?.said).toMatch(/Groups:\s*\n/)
  },
)

test.runIf(kinds.includes('perl'))('a host whose calls it does not know is left to the shell', async () => {
  const [command = '', flag = '', program = ''] = perlCommand(false)
  const elsewhere = program.replace(/^ {2}(183|62) =>/gm, '  1$1 =>')
  expect((await runProgram(command, [flag, elsewhere])).code).toBeGreaterThan(0)
})

test('what would be read as a step of its own is not said', () => {
  expect(() => writeFrame([become('a\u00003\u0000run\u0000id')])).toThrow('zero byte')
})
