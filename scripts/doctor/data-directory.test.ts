import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testBreaks } from '../testing/doctor-house.ts'

testBreaks('the data', [
  {
    what: 'a file where the data directory should be',
    how: (house) => {
      house.write('.data', '')
      return {}
    },
    part: 'data directory',
    state: 'broken',
    found: /is in the way/,
    fix: /SVC_DATA_DIR/,
  },
  {
    what: 'data written by another PostgreSQL',
    how: (house) => {
      house.makeCluster({ version: '15\n' })
      return {}
    },
    part: 'data files',
    state: 'broken',
    found: /made by PostgreSQL 15, this is 18/,
    fix: /move .* aside/,
  },
  {
    what: 'data without its version',
    how: (house) => {
      rmSync(join(house.makeCluster(), 'PG_VERSION'))
      return {}
    },
    part: 'data files',
    state: 'broken',
    found: /PG_VERSION is missing/,
    fix: /restore a backup/,
  },
  {
    what: 'damaged data',
    how: (house) => {
      rmSync(join(house.makeCluster(), 'global/pg_control'))
      return {}
    },
    part: 'data files',
    state: 'broken',
    found: /pg_control is missing/,
    fix: /restore a backup/,
  },
  {
    what: 'data that others may read',
    how: (house) => {
      house.makeCluster({ mode: 0o755 })
      return {}
    },
    part: 'data files',
    state: 'broken',
    found: /open to others \(755\)/,
    fix: /chmod 700/,
  },
  {
    what: 'data of a server that was killed',
    how: (house) => {
      writeFileSync(join(house.makeCluster(), 'postmaster.pid'), `${2 ** 22 + 1}\n`)
      return {}
    },
    part: 'data lock',
    state: 'warning',
    found: /did not stop cleanly/,
    fix: /npm start recovers/,
  },
  {
    on: 'linux',
    what: 'a data directory that cannot be written',
    how: () => ({ env: { SVC_DATA_DIR: '/proc/svc' } }),
    part: 'data directory',
    state: 'broken',
    found: /\/proc cannot be written/,
    fix: /SVC_DATA_DIR/,
  },
  {
    on: 'root on linux',
    what: 'data that belongs to root',
    how: (house) => {
      house.makeCluster({ uid: 0 })
      return {}
    },
    part: 'data files',
    state: 'broken',
    found: /belongs to root/,
    fix: /chown -R nobody/,
  },
])
