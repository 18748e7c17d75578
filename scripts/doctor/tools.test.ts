import { join } from 'node:path'
import { everyCommand, preload, testBreaks } from '../testing/doctor-house.ts'

testBreaks('Node, npm and git', [
  {
    what: 'a Node that is too old',
    how: () => ({ env: preload("Object.defineProperty(process, 'version', { value: 'v18.20.0' })") }),
    part: 'node',
    state: 'broken',
    found: /v18\.20\.0 is older than 20\.19/,
    fix: /install Node 20/,
  },
  {
    what: 'a PATH without npm',
    how: (house) => ({ env: { PATH: house.makePath({ ...everyCommand(), npm: undefined }) } }),
    part: 'npm',
    state: 'broken',
    found: /npm does not run/,
    fix: /reinstall Node/,
  },
  {
    what: 'a PATH without git',
    how: (house) => ({ env: { PATH: house.makePath({ ...everyCommand(), git: undefined }) } }),
    part: 'git',
    state: 'broken',
    found: /not on the PATH/,
    fix: /install git 2\.38/,
  },
  {
    what: 'a git that is too old',
    how: (house) => ({ env: { PATH: house.makePath({ ...everyCommand(), git: 'echo git version 2.30.2' }) } }),
    part: 'git',
    state: 'broken',
    found: /2\.30\.2 is older than 2\.38/,
    fix: /install git 2\.38/,
  },
  {
    what: 'a git whose configuration is broken',
    how: (house) => {
      house.write('gitconfig', '[core\n')
      return { env: { GIT_CONFIG_GLOBAL: join(house.folder, 'gitconfig') } }
    },
    part: 'git',
    state: 'broken',
    found: /git does not run: fatal: bad config/,
    fix: /correct that configuration file/,
  },
])
