import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface ClientResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A git client as a person would run it, without the machine's own configuration. */
export function tryClient(
  cwd: string,
  args: readonly string[],
  options: { input?: string | Buffer; env?: Record<string, string>; command?: string } = {},
): Promise<ClientResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(options.command ?? 'git', args, {
      cwd,
      env: {
        PATH: process.env.PATH,
        HOME: cwd,
        LC_ALL: 'C',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_TERMINAL_PROMPT: '0',
        GIT_AUTHOR_NAME: 'Ada',
        GIT_AUTHOR_EMAIL: 'ada@example.com',
        GIT_COMMITTER_NAME: 'Ada',
        GIT_COMMITTER_EMAIL: 'ada@example.com',
        ...options.env,
      },
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.stdin.on('error', () => undefined)
    child.stdin.end(options.input ?? '')
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

/** As {@link tryClient}, for commands that must succeed. Returns what was printed, trimmed. */
export async function runClient(
  cwd: string,
  args: readonly string[],
  options: { input?: string | Buffer; env?: Record<string, string> } = {},
): Promise<string> {
  const { code, stdout, stderr } = await tryClient(cwd, args, options)
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${stderr}`)
  return stdout.trim()
}

/** A scratch folder and a function that removes it. */
export async function makeScratch(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'svc-git-'))
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) }
}
