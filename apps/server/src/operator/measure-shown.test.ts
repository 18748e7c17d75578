import { expect, test } from 'vitest'
import { createFakeClock } from '../kernel/clock/index.ts'
import { measureShown } from './measure-shown.ts'
import type { SandboxRow } from './store.ts'

function row(index: number, status: SandboxRow['status'] = 'active'): SandboxRow {
  const nothing = { statusDetail: null, projectId: null, projectName: null, accountId: null }
  const never = { startedAt: null, lastUsedAt: null, createdAt: new Date(0), createdKey: '' }
  const kind = { provider: 'local', template: 'default', cpu: 1, memoryGb: 1, nodeId: 'here' }
  return { sandboxId: `m${index}`, externalId: `sb${index}`, status, ...kind, ...nothing, ...never }
}

const rows = (count: number) => Array.from({ length: count }, (_, index) => row(index))

test('machines are measured four at a time, and those that do not run not at all', async () => {
  let inside = 0
  let most = 0
  const measure = async () => {
    inside += 1
    most = Math.max(most, inside)
    await new Promise((resolve) => setImmediate(resolve))
    inside -= 1
    return { memoryBytes: 1, processes: 1, cpuSeconds: 1, diskBytes: 1 }
  }
  const measured = await measureShown({ clock: createFakeClock(), measure }, [row(50, 'stopped'), ...rows(20)])
  expect([most, measured.size, measured.has('m50')]).toEqual([4, 20, false])
})

test('a page of machines that do not answer is shown without their figures', async () => {
  const clock = createFakeClock(0)
  let asked = 0
  const measure = async () => {
    asked += 1
    await new Promise((resolve) => setImmediate(resolve))
    clock.jumpTo(2_000)
    return undefined
  }
  expect((await measureShown({ clock, measure }, rows(100))).size).toBe(0)
  expect(asked).toBe(4)
})
