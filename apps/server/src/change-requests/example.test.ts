import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { startTestPlatform } from '../../../../tests/support/platform.ts'

test('the example of a change request runs to its end on a new instance, and shows no token', async () => {
  const platform = await startTestPlatform()
  const folder = await mkdtemp(join(tmpdir(), 'svc-example-'))
  const lines: string[] = []
  const print = vi.spyOn(console, 'log').mockImplementation((line: unknown) => void lines.push(String(line)))
  try {
    vi.stubEnv('SVC_URL', platform.url)
    vi.stubEnv('SVC_DATA_DIR', platform.dataDir)
    const { tour } = await import('../../../../examples/change-request.ts')
    await tour(folder)
  } catch (error) {
    throw new Error(lines.join('\n'), { cause: error })
  } finally {
    print.mockRestore()
    vi.unstubAllEnvs()
    await platform.stop()
    await rm(folder, { recursive: true, force: true })
  }
  expect(lines.at(-1)).toBe('✓ and HELLO.md reads back as "# Hello"')
  expect(lines.join('\n')).not.toMatch(/svc_pat_[0-9A-Za-z]/)
})
