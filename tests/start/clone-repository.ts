import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repository } from '../../scripts/testing/make-house.ts'

export interface Clone {
  folder: string
  dataDir: string
  remove(): void
}

/** Small, and nothing else has to be built after it. */
const leftToBuild = join('packages', 'starters', 'dist')

/**
 * What is committed here, cloned below a folder that only its owner may enter, with the data directory beside it.
 * `packages: 'copied'` saves the download, and all builds but one; `'none'` is the bare clone of a fresh machine.
 */
export function cloneRepository(packages: 'copied' | 'none'): Clone {
  const outer = mkdtempSync(join(tmpdir(), 'svc-clone-'))
  const closed = join(outer, 'closed')
  const folder = join(closed, 'clone')
  mkdirSync(closed)
  chmodSync(closed, 0o700)
  execFileSync('git', ['clone', '--quiet', repository, folder], {
    // The checkout may belong to somebody else than the one who runs the tests.
    env: { ...process.env, GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' },
  })
  if (packages === 'copied') {
    execFileSync('cp', ['-a', join(repository, 'node_modules'), join(folder, 'node_modules')])
    for (const path of listBuilt()) {
      if (path !== leftToBuild) cpSync(join(repository, path), join(folder, path), { recursive: true })
    }
  }
  return { folder, dataDir: join(closed, 'data'), remove: () => rmSync(outer, { recursive: true, force: true }) }
}

const listBuilt = () =>
  ['apps', 'packages']
    .flatMap((parent) => readdirSync(join(repository, parent)).map((name) => join(parent, name, 'dist')))
    .filter((path) => existsSync(join(repository, path)))
