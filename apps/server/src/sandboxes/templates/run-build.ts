import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { archiveTree } from '../../git/index.ts'
import { defineJob } from '../../kernel/jobs/index.ts'
import { sayError } from '../../kernel/log/index.ts'
import type { BuildInput, SandboxProvider } from '../provider.ts'
import { BuildError, isWorthRetrying, toBuildError } from './build-error.ts'
import { cleanLine, createBuildOutput } from './build-output.ts'
import { readsContext } from './definition.ts'
import type { Parts } from './parts.ts'
import { readDockerfile } from './read-definitions.ts'
import type { BuildJob } from './request-build.ts'
import { type BuildRow, endBuild, findBuild, writeBuildLog } from './store/builds.ts'

const attempts = 4
const buildDeadlineMs = 30 * 60_000

/** Safe to repeat: a build that ended is left as it is, one that was cut off begins again. */
export function createBuildJob(parts: Parts): BuildJob {
  const { db } = parts.kernel.database
  return defineJob({
    name: 'sandbox.build',
    payload: z.object({ build_id: z.string() }),
    maxAttempts: attempts,
    retryDelayMs: (attempt) => attempt * 5_000,
    async run({ build_id }, { attempt, signal }) {
      const row = await findBuild(db, build_id)
      if (row?.status !== 'building') return
      try {
        await runBuild(parts, row, signal)
      } catch (error) {
        const failure = toBuildError(error)
        // The node stops, or another attempt may do better: the row stays as it is for the next one.
        if (signal.aborted || (isWorthRetrying(failure.category) && attempt < attempts)) throw error
        await endBuild(db, build_id, {
          status: 'failed',
          error: cleanLine(failure.message).slice(0, 4_000),
          errorCategory: failure.category,
        })
      }
    },
  })
}

/** Builds, verifies that the image is there, and ends the row. Throws without ending it. */
export async function runBuild(parts: Parts, row: BuildRow, signal: AbortSignal): Promise<void> {
  const { db } = parts.kernel.database
  const provider = parts.providers().find(({ id }) => id === row.provider)
  if (!provider) throw new BuildError('provider', `The provider ${row.provider} is not offered any more.`)
  const output = createBuildOutput((text) => writeBuildLog(db, row.buildId, text), cleanLine)
  try {
    await makeImage(parts, provider, row, output.add, signal)
    await endBuild(db, row.buildId, { status: 'ready' })
  } catch (error) {
    output.add(`error: ${sayError(error)}`)
    throw error
  } finally {
    await output.finish()
  }
}

async function makeImage(
  parts: Parts,
  provider: SandboxProvider,
  row: BuildRow,
  onLine: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { image, dockerfilePath, anew } = row.definition
  const health = await provider.check()
  if (health.status === 'missing' || health.status === 'down') {
    throw new BuildError('provider', health.detail ?? 'The provider is not available.')
  }
  if (image === null && dockerfilePath === null) return onLine('Runs on the host’s own files: nothing to build.')
  if (!provider.build) throw new BuildError('provider', `The provider ${provider.id} builds no images.`)
  if (!anew && (await provider.hasImage?.(row.snapshotName))) return onLine('The image is there already.')
  const bound = AbortSignal.any([signal, AbortSignal.timeout(buildDeadlineMs)])
  const folder = await makeFolder(parts)
  try {
    const dockerfile =
      dockerfilePath === null ? undefined : await readContext(parts, row, dockerfilePath, folder, bound)
    const input: BuildInput = { name: row.snapshotName, image: image ?? undefined, dockerfile, anew }
    await provider.build(input, onLine, bound)
  } catch (error) {
    if (bound.aborted && !signal.aborted) {
      throw new BuildError('timeout', `The build took longer than ${buildDeadlineMs / 60_000} minutes.`, {
        cause: error,
      })
    }
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  if ((await provider.hasImage?.(row.snapshotName)) === false) {
    throw new BuildError('provider', 'The provider says that the image was built, but does not have it.')
  }
}

async function makeFolder({ kernel }: Parts): Promise<string> {
  const parent = join(kernel.config.dataDir, 'builds')
  await mkdir(parent, { recursive: true, mode: 0o700 })
  return mkdtemp(join(parent, 'build-'))
}

/** The Dockerfile as it was committed, with the repository's files at that commit when it copies any. */
async function readContext(parts: Parts, row: BuildRow, path: string, folder: string, signal: AbortSignal) {
  const { git } = await parts.repositories.openCurrent(row.projectId)
  const ref = row.commitSha
  const text = ref === null ? undefined : await readDockerfile(git, ref, path)
  if (ref === null || text === undefined) {
    throw new BuildError('dockerfile', `There is no Dockerfile ${path} on the default branch.`)
  }
  const contextTarPath = join(folder, 'context.tar.gz')
  const { stream } = await archiveTree(git, { ref, signal, ...(readsContext(text) ? {} : { path }) })
  await pipeline(stream, createWriteStream(contextTarPath, { mode: 0o600 }), { signal })
  return { text, path, contextTarPath }
}
