import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { everyCommand, testBreaks } from '../testing/doctor-house.ts'

testBreaks('sandboxes', [
  {
    what: 'a missing agent runtime',
    how: (house) => house.removing('node_modules', `opencode-linux-${process.arch}`),
    part: 'agent runtimes',
    state: 'broken',
    found: /no agent runs without it/,
    fix: /npm/,
  },
  {
    what: 'an agent runtime that does not run',
    how: (house) => {
      rmSync(join(house.folder, `node_modules/opencode-linux-${process.arch}`))
      house.write(`node_modules/opencode-linux-${process.arch}/bin/opencode`, 'not a program')
      return {}
    },
    part: 'agent runtimes',
    state: 'broken',
    found: /opencode does not run/,
    fix: /npm ci/,
  },
  {
    on: 'linux',
    what: 'a missing bubblewrap',
    how: (house) => ({ env: { PATH: house.makePath({ ...everyCommand(), bwrap: undefined }) } }),
    part: 'sandbox',
    state: 'broken',
    found: /bubblewrap is not installed/,
    fix: /bubblewrap/,
  },
  {
    on: 'linux',
    what: 'a bubblewrap that may not make sandboxes',
    how: (house) => {
      const bwrap = 'echo "bwrap: No permissions to create new namespace" >&2; exit 1'
      chmodSync(house.folder, 0o755)
      return { env: { PATH: house.makePath({ ...everyCommand(), bwrap }) } }
    },
    part: 'sandbox',
    state: 'broken',
    found: /No permissions to create new namespace/,
    fix: /user namespaces/,
  },
])
