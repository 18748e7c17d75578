import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

const workspace = join(import.meta.dirname, '..', '..')
const root = join(workspace, '..', '..')
const keptMs = 24 * 3_600_000

/** The whole build of the sources as they are now, made once and shared by every test file; answers with its folder. */
export function buildDaemon(): string {
  const folder = join(root, 'node_modules', '.cache', 'svc', 'sandboxd', hashSources())
  if (existsSync(folder)) return folder
  // Built aside and renamed: another test file may be building the same at this moment.
  const aside = `${folder}.${process.pid}`
  mkdirSync(dirname(folder), { recursive: true })
  removeOldBuilds(dirname(folder))
  const tsdown = join(root, 'node_modules', 'tsdown', 'dist', 'run.mjs')
  const args = [tsdown, '--fixed-extension', '--logLevel', 'error', '--out-dir', aside]
  execFileSync(process.execPath, args, { cwd: workspace, stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    renameSync(aside, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    rmSync(aside, { recursive: true, force: true })
  }
  return folder
}

function removeOldBuilds(builds: string): void {
  for (const name of readdirSync(builds)) {
    const path = join(builds, name)
    const found = statSync(path, { throwIfNoEntry: false })
    if (found && Date.now() - found.mtimeMs > keptMs) rmSync(path, { recursive: true, force: true })
  }
}

function hashSources(): string {
  const hash = createHash('sha256')
  const files = readdirSync(join(workspace, 'src'), { recursive: true, encoding: 'utf8' })
  const sources = files.filter((name) => name.endsWith('.ts') && !/\.test\.ts$|^testing\//.test(name)).sort()
  for (const path of [...sources.map((name) => join(workspace, 'src', name)), join(workspace, 'tsdown.config.ts')]) {
    hash.update(path).update(readFileSync(path))
  }
  return hash.digest('hex').slice(0, 16)
}
