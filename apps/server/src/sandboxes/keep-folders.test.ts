import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createFolderKeeper } from './keep-folders.ts'

const scratch = mkdtempSync(join(tmpdir(), 'svc-keep-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))
const built = mkdtempSync(join(scratch, 'built-'))
const place = join(scratch, 'programs')
const files = [
  { hostPath: built, machinePath: '/opt/svc/daemon', isBuiltInPlace: true },
  { hostPath: process.execPath, machinePath: '/opt/svc/node' },
]
const write = (text: string) => writeFileSync(join(built, 'daemon.mjs'), text, { mode: 0o600 })
const programOf = (file: { hostPath: string } | undefined) => join(file?.hostPath ?? '', 'daemon.mjs')

test('a rebuild changes nothing for a server that runs, and the next one has the new build alone', () => {
  write('the first build')
  const keep = createFolderKeeper(place)
  const [daemon, node] = keep(files)
  expect(node).toEqual(files[1])
  rmSync(join(built, 'daemon.mjs'))
  expect(readFileSync(programOf(daemon), 'utf8')).toBe('the first build')
  write('the second build')
  expect(keep(files)[0]).toEqual(daemon)
  expect(readFileSync(programOf(daemon), 'utf8')).toBe('the first build')

  const next = createFolderKeeper(place)(files)[0]
  expect(readFileSync(programOf(next), 'utf8')).toBe('the second build')
  expect(readdirSync(place)).toHaveLength(1)
  // Machines run as users of their own.
  expect(statSync(programOf(next)).mode & 0o777).toBe(0o644)
  expect(createFolderKeeper(place)(files)[0]).toEqual(next)
})
