import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { inOwnView, preload, testBreaks } from '../testing/doctor-house.ts'

testBreaks('the machine', [
  {
    what: 'a temporary folder that is gone',
    how: () => ({ env: { TMPDIR: '/nowhere' } }),
    part: 'temporary folder',
    state: 'broken',
    found: /\/nowhere cannot be used/,
    fix: /set TMPDIR/,
  },
  {
    what: 'a clock years behind',
    how: () => ({ env: preload('Date.now = () => 0') }),
    part: 'clock',
    state: 'broken',
    found: /the clock says 1970/,
    fix: /set the clock/,
  },
  {
    what: 'too few open files',
    how: () => ({ under: ['sh', '-c', 'ulimit -n 256; exec "$@"', 'sh'] }),
    part: 'open files',
    state: 'broken',
    found: /at most 256 open files/,
    fix: /ulimit -n/,
  },
  {
    on: 'root on linux',
    what: 'a disk that is nearly full',
    how: (house) => {
      mkdirSync(join(house.folder, '.data'))
      return { under: inOwnView(`mount -t tmpfs -o size=4m tmpfs ${join(house.folder, '.data')}`) }
    },
    part: 'disk',
    state: 'broken',
    found: /\d MB free for .*, 100 MB are needed/,
    fix: /free some space/,
  },
  {
    on: 'root on linux',
    what: 'too little memory',
    how: (house) => house.cover('/proc/meminfo', 'MemTotal: 1000000 kB\nMemFree: 90000 kB\nMemAvailable: 90000 kB\n'),
    part: 'memory',
    state: 'broken',
    found: /87 MB of memory free/,
    fix: /more memory/,
  },
  {
    on: 'root on linux',
    what: 'too few file watches',
    how: (house) => house.cover('/proc/sys/fs/inotify/max_user_watches', '100\n'),
    part: 'file watches',
    state: 'warning',
    found: /at most 100 file watches/,
    fix: /sysctl fs\.inotify/,
  },
])
