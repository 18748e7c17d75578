import { afterAll, describe, expect, test } from 'vitest'
import { openLocalProvider, plainBoot } from './testing/local-machine.ts'

const local = await openLocalProvider()
afterAll(() => local.close())

describe('a machine', () => {
  test('starts', async () => {
    const { externalId } = await local.createMachine()
    await local.provider.start(externalId, plainBoot, (r) => console.log(r))
    console.log(await local.provider.stats(externalId))
    expect((await local.provider.list())[0]?.status).toBe('running')
    await local.provider.stop(externalId)
    await local.provider.destroy(externalId)
  })
})
