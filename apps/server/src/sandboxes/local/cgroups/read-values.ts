import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

/** 0 for a file that is gone: so is what it counted. */
export async function readCount(path: string): Promise<number> {
  return Number(await readFile(path, 'utf8').catch(() => '0')) || 0
}

/** Lines of a name and a number. */
export async function readKeyed(path: string): Promise<Map<string, number>> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return new Map(
    text.split('\n').flatMap((line): [string, number][] => {
      const [name, value] = line.split(' ')
      return name === undefined || value === undefined ? [] : [[name, Number(value)]]
    }),
  )
}

/** The kernel needs a moment to freeze what is in the middle of something. */
export async function waitUntil(isSo: () => Promise<boolean>, deadlineMs = 5_000): Promise<void> {
  const until = performance.now() + deadlineMs
  while (!(await isSo()) && performance.now() < until) await sleep(2)
}
