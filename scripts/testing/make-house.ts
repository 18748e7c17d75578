import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

const copied = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsdown.config.ts', 'scripts']

export interface RunOptions {
  env?: NodeJS.ProcessEnv
  /** A command to run it under, such as `unshare`. */
  under?: string[]
}

export interface House {
  folder: string
  write(path: string, content: string): void
  /** Runs one of the scripts in the house and waits for its end. */
  run(script: string, args?: string[], options?: RunOptions): { code: number | null; stdout: string; stderr: string }
  remove(): void
}

/**
 * A small repository in a temporary folder: our scripts and configuration, the given files, and links to the npm
 * packages of this clone and to the house's own workspaces (unless they are to be missing).
 */
export function makeHouse(files: Record<string, string> = {}, { packages = true } = {}): House {
  const folder = mkdtempSync(join(tmpdir(), 'svc-house-'))
  for (const path of copied) cpSync(join(repository, path), join(folder, path), { recursive: true })
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  for (const [path, content] of Object.entries(files)) write(path, content)
  if (packages) linkPackages(folder, files)
  return {
    folder,
    write,
    run: (script, args = [], { env = {}, under = [] } = {}) => {
      const [command, ...rest] = [...under, process.execPath, join(folder, 'scripts', script), ...args]
      const { status, stdout, stderr } = spawnSync(command ?? process.execPath, rest, {
        cwd: folder,
        env: { ...process.env, SVC_NO_SYSTEM_INSTALL: '1', ...env },
        encoding: 'utf8',
      })
      return { code: status, stdout, stderr }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function linkPackages(folder: string, files: Record<string, string>): void {
  const from = join(repository, 'node_modules')
  const to = join(folder, 'node_modules')
  mkdirSync(to)
  for (const name of readdirSync(from)) {
    if (name !== '@svc' && !name.startsWith('.')) symlinkSync(join(from, name), join(to, name))
  }
  for (const name of ['.package-lock.json', '.svc-packages']) {
    if (existsSync(join(from, name))) cpSync(join(from, name), join(to, name))
  }
  for (const [path, content] of Object.entries(files)) {
    if (!/^(apps|packages)\/[^/]+\/package\.json$/.test(path)) continue
    const link = join(to, JSON.parse(content).name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(folder, dirname(path)), link)
  }
}
