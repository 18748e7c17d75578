import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { signalGroup } from './end-process.ts'
import type { GitSettings } from './git-environment.ts'
import { GitError } from './git-error.ts'
import { type GitPlace, spawnGit } from './run-git.ts'

/**
 * The output of a git command as a stream with back-pressure. A failure of git destroys the stream with a GitError, so
 * a reader never takes a cut answer for a whole one; destroying the stream ends git.
 */
export function streamGit(
  place: GitPlace,
  args: readonly string[],
  signal?: AbortSignal,
  settings?: GitSettings,
): Readable {
  const child = spawnGit(place, args, settings ? { settings } : {})
  const output = new PassThrough({ highWaterMark: 256 * 1024 })
  let errorText = ''
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    if (errorText.length < 16_384) errorText += piece
  })
  // These commands read nothing: a broken input pipe says only that git has ended.
  child.stdin.on('error', () => undefined)
  child.stdin.end()
  output.on('close', () => {
    if (child.exitCode === null) signalGroup(child, 'SIGTERM')
  })

  const exited = new Promise<number | null>((resolve, reject) => {
    child.on('close', resolve)
    child.on('error', reject)
  })
  // The end of the output is passed on only once git has said that it went well.
  const copied = pipeline(child.stdout, output, { end: false, ...(signal ? { signal } : {}) })
  Promise.all([exited, copied]).then(
    ([code]) => {
      if (code === 0) output.end()
      else output.destroy(new GitError('git_failed', `git ${args[0]} failed.`, { privateText: errorText }))
    },
    (cause) => {
      if (signal?.aborted) output.destroy(new GitError('aborted', 'The request was cancelled.'))
      else output.destroy(new GitError('git_failed', `git ${args[0]} was cut off.`, { cause }))
    },
  )
  return output
}
