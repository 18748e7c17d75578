import { expect, test } from 'vitest'
import { toDaemonPath, toSandboxAbsolutePath } from './map-path.ts'

test.each([
  ['/workspace', '', '/workspace'],
  ['/workspace/', '', '/workspace'],
  ['/workspace/x', 'x', '/workspace/x'],
  ['/workspace2/x', 'workspace2/x', '/workspace/workspace2/x'],
  ['/tmp/x', '/tmp/x', '/tmp/x'],
  ['/home/a', '/home/a', '/home/a'],
  ['/opt', '/opt', '/opt'],
  ['//etc/x', 'etc/x', '/workspace/etc/x'],
  ['a.txt', 'a.txt', '/workspace/a.txt'],
  ['', '', '/workspace'],
])('%s is %s for the daemon and %s in the sandbox', (path, daemon, absolute) => {
  expect(toDaemonPath(path)).toBe(daemon)
  expect(toSandboxAbsolutePath(path)).toBe(absolute)
})
