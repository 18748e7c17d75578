import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

const copied = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsdown.config.ts', 'scripts']

export interface House {
  folder: string
  write(path: string, content: string): void
  /** Runs one of the scripts in the house and waits for its end. */
  run(script: string, args?: string[], env?: NodeJS.ProcessEnv): { code: number | null; stdout: string; stderr: string }
  remove(): void
}

/**
 * A small repository in a temporary folder: our scripts and configuration, the given files, and a link to the npm
 * packages of this clone (unless they are to be missing). The scripts never install through such a link.
 */
export function makeHouse(files: Record<string, string> = {}, { packages = true } = {}): House {
  const folder = mkdtempSync(join(tmpdir(), 'svc-house-'))
  for (const path of copied) cpSync(join(repository, path), join(folder, path), { recursive: true })
  if (packages) symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  for (const [path, content] of Object.entries(files)) write(path, content)
  return {
    folder,
    write,
    run: (script, args = [], env = process.env) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'scripts', script), ...args], {
        cwd: folder,
        env: { ...env, SVC_NO_SYSTEM_INSTALL: '1' },
        encoding: 'utf8',
      })
      return { code: status, stdout, stderr }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** The package.json of a workspace of ours, so that small houses have the real names and dependencies. */
export const workspaceManifest = (path: string): string => readFileSync(join(repository, path, 'package.json'), 'utf8')
