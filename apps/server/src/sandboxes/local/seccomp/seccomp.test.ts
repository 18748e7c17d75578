import { constants } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openLocalProvider, plainBoot } from '../testing/local-machine.ts'
import { makeCalls, tryInside } from '../testing/try-inside.ts'
import { buildFilter, isFilterArch } from './filter.ts'
import { examinedCalls, refusedCalls } from './refused-calls.ts'

const arch = process.arch
const { EPERM, EAFNOSUPPORT, ENOSYS } = constants.errno

describe('the filter as bytes', () => {
  test.each(['x64', 'arm64'] as const)('of %s fits the kernel and ends in a return', (one) => {
    const bytes = buildFilter(one)
    expect(bytes.length % 8).toBe(0)
    expect(bytes.length / 8).toBeLessThan(4096)
    expect(bytes.readUInt16LE(bytes.length - 8)).toBe(0x06)
  })

  test('no number stands for two calls', () => {
    for (const one of ['x64', 'arm64'] as const) {
      const numbers = Object.values({ ...refusedCalls, ...examinedCalls }).flatMap((call) => call[one] ?? [])
      expect(new Set(numbers).size).toBe(numbers.length)
    }
  })
})

describe.runIf(process.platform === 'linux' && isFilterArch(arch))('inside a machine', async () => {
  if (!isFilterArch(arch)) return
  const local = await openLocalProvider()
  let externalId = ''
  beforeAll(async () => {
    externalId = (await local.createMachine()).externalId
    await local.provider.start(externalId, plainBoot, () => undefined)
  })
  afterAll(() => local.close())

  async function call(calls: readonly (readonly number[])[]): Promise<(number | 'ok')[]> {
    const { output } = await tryInside(local.provider, externalId, makeCalls(calls))
    return output.split('\n').map((line) => (line === 'ok' ? 'ok' : Number(line)))
  }
  const number = (name: keyof typeof examinedCalls) => examinedCalls[name][arch] ?? -1

  test('every refused call fails with EPERM', async () => {
    const named = Object.entries(refusedCalls).flatMap(([name, numbers]) => {
      const found = numbers[arch]
      return found === undefined ? [] : [{ name, found }]
    })
    const results = await call(named.map(({ found }) => [found]))
    const outcome = Object.fromEntries(named.map(({ name }, index) => [name, results[index]]))
    expect(outcome).toEqual(Object.fromEntries(named.map(({ name }) => [name, EPERM])))
  })

  test('clone makes processes but no namespace; clone3 does not exist', async () => {
    const flags = [0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000]
    expect(await call(flags.map((flag) => [number('clone'), flag]))).toEqual(flags.map(() => EPERM))
    expect(await call([[number('clone3')]])).toEqual([ENOSYS])
  })

  test('nothing can be typed into a terminal', async () => {
    expect(
      await call([
        [number('ioctl'), 0, 0x5412],
        [number('ioctl'), 0, 0x541c],
      ]),
    ).toEqual([EPERM, EPERM])
    // The kernel reads the lower half only, and so does the filter.
    expect(await call([[number('ioctl'), 0, 2 ** 32 + 0x5412]])).toEqual([EPERM])
  })

  test('the personality can be asked, not changed', async () => {
    expect(
      await call([
        [number('personality'), 0xffffffff],
        [number('personality'), 0x0040000],
      ]),
    ).toEqual(['ok', EPERM])
  })

  test('sockets are unix, IPv4 and IPv6; of netlink only the one that tells addresses', async () => {
    const stream = 1
    const raw = 3
    const open = [1, 2, 10].map((family) => [number('socket'), family, stream])
    expect(await call([...open, [number('socket'), 16, raw, 0]])).toEqual(['ok', 'ok', 'ok', 'ok'])
    // Packet, vsock, Bluetooth, algorithms, CAN, TIPC, XDP; netlink of audit, netfilter and generic.
    const closed = [17, 40, 31, 38, 29, 30, 44].map((family) => [number('socket'), family, raw])
    const netlinks = [9, 12, 16].map((protocol) => [number('socket'), 16, raw, protocol])
    expect(await call([...closed, ...netlinks])).toEqual([...closed, ...netlinks].map(() => EAFNOSUPPORT))
  })
})
