import { GitError } from './git-error.ts'
import { runGit } from './run-git.ts'

export interface GitVersion {
  readonly text: string
  atLeast(major: number, minor: number): boolean
}

let known: Promise<GitVersion> | undefined

/** The installed git. Asked once; a failure is not remembered. */
export function readGitVersion(): Promise<GitVersion> {
  known ??= askVersion().catch((error: unknown) => {
    known = undefined
    throw error
  })
  return known
}

/** Fails with a sentence an operator can act on when git is missing or too old. */
export async function requireGit(): Promise<GitVersion> {
  const version = await readGitVersion()
  if (version.atLeast(2, 38)) return version
  throw new GitError('git_failed', `git ${version.text} is too old. Install git 2.38 or newer.`)
}

async function askVersion(): Promise<GitVersion> {
  const { stdout } = await runGit(null, ['version'])
  const text = /(\d+\.\d+[\w.]*)/.exec(stdout.toString('latin1'))?.[1] ?? '0.0'
  const [major = 0, minor = 0] = text.split('.').map((part) => Number.parseInt(part, 10))
  return { text, atLeast: (wanted, least) => major > wanted || (major === wanted && minor >= least) }
}
