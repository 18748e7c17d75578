import { afterEach, describe, expect, test } from 'vitest'
import { createHostShell } from './host-shell.ts'

describe('the shell that is kept for short scripts', () => {
  const shell = createHostShell()
  afterEach(() => shell.stop())

  test('a script that was not opened for runs as well', async () => {
    expect(await shell.run(['echo anew', 'exit 3'])).toEqual({ code: 3, output: 'anew' })
  })

  test('scripts run side by side, and each caller hears of its own', async () => {
    shell.open()
    const fifo = `/tmp/svc-host-shell-${process.pid}`
    const [made] = await Promise.all([shell.run([`mkfifo ${fifo}`])])
    expect(made).toEqual({ code: 0, output: '' })
    const reads = shell.run([`[ "$(cat ${fifo})" = hello ]`])
    const writes = shell.run([`echo hello > ${fifo}`, `rm ${fifo}`])
    expect(await Promise.all([reads, writes])).toEqual([
      { code: 0, output: '' },
      { code: 0, output: '' },
    ])
  })

  test('a script ends with the first line that fails, and says what was wrong', async () => {
    shell.open()
    const { code, output } = await shell.run(["echo 'two lines' >&2", 'echo of words', 'false', 'echo not this'])
    expect({ code, output: output.trim() }).toEqual({ code: 1, output: 'two lines of words' })
  })

  test('a quote in a script ends neither it nor the shell', async () => {
    shell.open()
    expect((await shell.run([`[ "it's" = 'it'"'"'s' ]`])).code).toBe(0)
    expect((await shell.run(['true'])).code).toBe(0)
  })
})
