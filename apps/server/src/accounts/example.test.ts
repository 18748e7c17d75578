import { expect, test, vi } from 'vitest'
import { startTestPlatform } from '../../../../tests/support/platform.ts'

test('the example of people, accounts and keys runs to its end on a new instance', async () => {
  const platform = await startTestPlatform()
  const lines: string[] = []
  const print = vi.spyOn(console, 'log').mockImplementation((line: unknown) => void lines.push(String(line)))
  try {
    vi.stubEnv('SVC_URL', platform.url)
    vi.stubEnv('SVC_DATA_DIR', platform.dataDir)
    const { tour } = await import('../../../../examples/identity.ts')
    await tour()
  } catch (error) {
    throw new Error(lines.join('\n'), { cause: error })
  } finally {
    print.mockRestore()
    vi.unstubAllEnvs()
    await platform.stop()
  }
  expect(lines.filter((line) => line.startsWith('✓')).length).toBeGreaterThan(15)
  expect(lines.join('\n')).not.toMatch(/svc_(pat|sa|oat)_[0-9A-Za-z]/)
})
