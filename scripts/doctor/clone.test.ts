import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inOwnView, testBreaks } from '../testing/doctor-house.ts'

testBreaks('the clone', [
  {
    what: 'npm packages that were never installed',
    how: (house) => house.removing('node_modules'),
    part: 'npm packages',
    state: 'broken',
    found: /node_modules is missing/,
    fix: /npm ci/,
  },
  {
    what: 'one npm package that is gone',
    how: (house) => house.removing('node_modules', 'tsdown'),
    part: 'npm packages',
    state: 'broken',
    found: /missing in node_modules: tsdown/,
    fix: /npm ci/,
  },
  {
    what: 'npm packages of another lock file',
    how: (house) => {
      rmSync(join(house.folder, 'node_modules/.svc-packages'), { force: true })
      const path = 'node_modules/.package-lock.json'
      const installed = JSON.parse(readFileSync(join(house.folder, path), 'utf8'))
      installed.packages['node_modules/tsdown'].version = '0.0.1'
      house.write(path, JSON.stringify(installed))
      return {}
    },
    part: 'npm packages',
    state: 'broken',
    found: /tsdown is 0\.0\.1, the lock file says/,
    fix: /npm ci/,
  },
  {
    what: 'a lock file that is gone',
    how: (house) => house.removing('package-lock.json'),
    part: 'npm packages',
    state: 'broken',
    found: /package-lock\.json is missing/,
    fix: /git checkout package-lock\.json/,
  },
  {
    what: 'a build older than its sources',
    how: (house) => {
      house.write('packages/words/src/index.ts', "export const greeting = 'changed'\n")
      return {}
    },
    part: 'build',
    state: 'warning',
    found: /packages\/words/,
    fix: /npm run build/,
  },
  {
    on: 'root on linux',
    what: 'a clone on a read-only disk',
    how: (house) => ({
      under: inOwnView(`mount --bind ${house.folder} ${house.folder}; mount -o remount,bind,ro ${house.folder}`),
    }),
    part: 'clone',
    state: 'broken',
    found: /cannot be written: EROFS/,
    fix: /not read-only/,
  },
])
