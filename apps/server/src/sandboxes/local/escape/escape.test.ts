import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openLocalProvider, plainBoot } from '../testing/local-machine.ts'
import { tryInside } from '../testing/try-inside.ts'
import { layBaits } from './baits.ts'
import { listProbes } from './probes.ts'

const baits = await layBaits()
const local = await openLocalProvider()
const { provider } = local
const mine = await local.createMachine()
const other = { ...(await local.createMachine()), word: 'OTHER-MACHINE', port: 5555 }

/** One that waited for an owner, with its pipes to the platform, before it got one. */
const warmed = await local.createMachine()

beforeAll(async () => {
  const waiting = { runtime: undefined, signal: new AbortController().signal, onExit: () => undefined }
  await provider.warm?.(warmed.externalId, waiting)
  for (const { externalId } of [mine, other, warmed]) await provider.start(externalId, plainBoot, () => undefined)
  const listen = `setsid perl -MIO::Socket::INET -MIO::Socket::UNIX -e '
    my $t = IO::Socket::INET->new(LocalAddr => "127.0.0.1:${other.port}", Listen => 5, ReuseAddr => 1) or die;
    my $u = IO::Socket::UNIX->new(Local => "\\0${other.word}", Listen => 5) or die;
    if (fork) { while (my $c = $t->accept) { print $c "HERE"; close $c } }
    while (my $c = $u->accept) { print $c "HERE"; close $c }' ${other.word} > /dev/null 2>&1 &`
  await tryInside(provider, other.externalId, listen)
})
afterAll(async () => {
  await local.close()
  await baits.close()
})

const probes = listProbes({ baits, dataDir: local.dataDir, other, serviceKey: plainBoot.serviceKey })

describe.runIf(process.platform === 'linux')('nothing inside gets out', () => {
  test('there are at least 40 ways to try', () => expect(probes.length).toBeGreaterThanOrEqual(40))

  test('the baits can be taken: what is tried works where nothing confines it', async () => {
    // The other machine's own sockets, from inside that machine.
    const names = ['another machine’s port', 'another machine’s abstract socket', 'another machine’s processes']
    for (const { name, script } of probes.filter((one) => names.includes(one.name))) {
      await expect
        .poll(async () => (await tryInside(provider, other.externalId, script)).output, {
          message: name,
        })
        .toMatch('ESCAPED')
    }
  })

  test.each(probes)('$name', async ({ script }) => {
    const { output } = await tryInside(provider, mine.externalId, script)
    expect(output).not.toMatch('ESCAPED')
  })

  const handedIn = /boot file|service key|has open|descriptors/
  test.each(probes.filter(({ name }) => handedIn.test(name)))(
    '$name, in a machine that was warm',
    async ({ script }) => {
      const { output } = await tryInside(provider, warmed.externalId, script)
      expect(output).not.toMatch('ESCAPED')
    },
  )

  test('nobody came to the host’s sockets, and its processes live', () => {
    expect(baits.visits()).toBe(0)
    expect(baits.isAlive()).toBe(true)
  })

  test('a daemon’s socket that is a link to the host’s is not followed', async () => {
    await tryInside(
      provider,
      mine.externalId,
      `cd /run/svc && mv host.sock real.sock && ln -s ${baits.socket} host.sock`,
    )
    await expect(provider.connect(mine.externalId)).rejects.toThrow()
    expect(baits.visits()).toBe(0)
  })

  test('killing everything in reach ends this machine only', async () => {
    const { externalId } = await local.createMachine()
    const ended: string[] = []
    await provider.start(externalId, plainBoot, (reason) => void ended.push(reason))
    await tryInside(provider, externalId, 'kill -9 -1').catch(() => undefined)
    await expect.poll(() => ended.length).toBe(1)
    expect(baits.isAlive()).toBe(true)
    expect((await tryInside(provider, other.externalId, 'echo alive')).output).toBe('alive')
  })
})
