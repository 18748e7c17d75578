import { testBreaks } from '../testing/doctor-house.ts'

testBreaks('the network', [
  {
    what: 'a PORT that is none',
    how: () => ({ env: { PORT: 'http' } }),
    part: 'port',
    state: 'broken',
    found: /PORT=http is no port/,
    fix: /up to 65535/,
  },
  {
    what: 'a HOST of another machine',
    how: () => ({ env: { HOST: '203.0.113.9' } }),
    part: 'port',
    state: 'broken',
    found: /203\.0\.113\.9 is no address of this machine/,
    fix: /127\.0\.0\.1/,
  },
  {
    on: 'root on linux',
    what: 'a machine that cannot reach itself',
    how: () => ({ under: ['unshare', '--net', '--'] }),
    part: 'loopback',
    state: 'broken',
    found: /cannot reach itself/,
    fix: /ip link set lo up/,
  },
])
