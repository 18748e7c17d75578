import { operations } from '@svc/contract'
import {
  archiveTree,
  GitError,
  listFileHistory,
  listFiles,
  readBranch,
  readFile,
  searchContent,
  searchNames,
  statFile,
} from '../../git/index.ts'
import { answer, type Call, type Handled, handle, problem } from '../../kernel/http/index.ts'
import { answerGit } from '../git-problem.ts'
import type { Parts, ProjectRepository } from '../parts.ts'
import { requireRepositoryAccess } from '../require-repository-access.ts'
import { createViewer, type Viewer } from '../visible-paths.ts'
import { toCommit, toFile } from './records.ts'

export interface Reading extends ProjectRepository {
  readonly viewer: Viewer
  /** The repository lives elsewhere and could not be asked: this is what was there last. */
  readonly isStale: boolean
}

/** Opens a project's repository for the caller of an operation. */
export async function openReading(parts: Parts, call: Call): Promise<Reading> {
  const { repository, isStale } = await openOrStale(parts, call.projectId)
  await requireRepositoryAccess(call.principal, repository)
  return { ...repository, isStale, viewer: await createViewer(parts, call, repository) }
}

/** A host that does not answer keeps nobody from reading what is here. */
async function openOrStale(parts: Parts, projectId: string) {
  try {
    return { repository: await parts.openCurrent(projectId), isStale: false }
  } catch (error) {
    if (!GitError.isInstance(error)) throw error
    return { repository: await parts.findRepository(projectId), isStale: true }
  }
}

/** A repository without a commit has no default branch yet; that is empty, not an error. */
export async function isEmptyAt({ git, defaultBranch }: ProjectRepository, ref: string | undefined): Promise<boolean> {
  return (ref === undefined || ref === defaultBranch) && (await readBranch(git, defaultBranch)) === null
}

const unavailable = { 'x-svc-repo-status': 'unavailable' }

export function fileRoutes(parts: Parts): Handled[] {
  const ops = operations.repositories
  return [
    handle(ops.listFiles, (call) =>
      answerGit(async () => {
        const reading = await openReading(parts, call)
        const { ref, path, cursor } = call.query
        const status = reading.isStale ? unavailable : {}
        if (await isUnreadable(reading)) return answer([], { headers: unavailable })
        if (await isEmptyAt(reading, ref)) return answer([], { headers: status })
        const page = await reading.viewer.read((hides) =>
          listFiles(reading.git, {
            ref: ref ?? reading.defaultBranch,
            ...(path ? { path } : {}),
            ...(cursor ? { cursor } : {}),
            ...(hides ? { hides } : {}),
            signal: call.signal,
          }),
        )
        return answer(page.entries.map(toFile), {
          headers: {
            ...status,
            etag: `"${page.commit}-${reading.viewer.digest()}"`,
            ...(page.nextCursor === null ? {} : { 'x-next-cursor': page.nextCursor }),
          },
        })
      }),
    ),

    handle(ops.readFile, (call) =>
      answerGit(async () => {
        const reading = await openReading(parts, call)
        const { path, ref = reading.defaultBranch } = call.query
        if ((await isEmptyAt(reading, ref)) || (await reading.viewer.isHidden(path))) throw noFile(path, ref)
        const etag = `"${(await statFile(reading.git, { ref, path })).objectId}"`
        // What the caller has already is not read again: with this tag the answer becomes 304, without a body.
        if (call.request.incoming.headers['if-none-match'] === etag) {
          return answer({ path, ref, content: '' }, { headers: { etag } })
        }
        const file = await readFile(reading.git, { ref, path }).catch(refuseLarge)
        return answer(
          { path, ref, content: file.content.toString('utf8') },
          { headers: { etag: `"${file.objectId}"` } },
        )
      }),
    ),

    handle(ops.searchFiles, (call) =>
      answerGit(async () => {
        const reading = await openReading(parts, call)
        const { q, content = false, ref = reading.defaultBranch, limit = 50 } = call.query
        const found = (results: { path: string; line_number?: number; line_text?: string }[]) => {
          return { query: q, ref, content_search: content, results }
        }
        if (await isEmptyAt(reading, ref)) return found([])
        const question = { query: q, ref, limit, signal: call.signal }
        if (!content) {
          const { paths } = await reading.viewer.read((hides) =>
            searchNames(reading.git, { ...question, ...(hides ? { hides } : {}) }),
          )
          return found(paths.map((path) => ({ path })))
        }
        const { matches } = await reading.viewer.read((hides) =>
          searchContent(reading.git, { ...question, ...(hides ? { hides } : {}) }),
        )
        return found(
          matches.map(({ path, lineNumber, lineText }) => ({ path, line_number: lineNumber, line_text: lineText })),
        )
      }),
    ),

    handle(ops.archiveFiles, (call) =>
      answerGit(async () => {
        const reading = await openReading(parts, call)
        const { ref = reading.defaultBranch, path = '' } = call.query
        if (await isEmptyAt(reading, ref)) throw problem('not_found', { say: 'The repository has no commit yet.' })
        await requireWholeSubtree(reading, ref, path, call.signal)
        const { entityTag, commit, stream } = await archiveTree(reading.git, { ref, path, signal: call.signal })
        const disposition = `attachment; filename="${call.projectId}-${commit.slice(0, 12)}.tar.gz"`
        return answer(stream, { headers: { etag: `"${entityTag}"`, 'content-disposition': disposition } })
      }),
    ),

    handle(ops.fileHistory, (call) =>
      answerGit(async () => {
        const reading = await openReading(parts, call)
        const { path, ref = reading.defaultBranch, limit, skip, cursor } = call.query
        if (await reading.viewer.isHidden(path)) throw noFile(path, ref)
        if (await isEmptyAt(reading, ref)) return { path, ref, commits: [], hasMore: false }
        const page = await listFileHistory(reading.git, {
          ref,
          path,
          ...(limit === undefined ? {} : { limit }),
          ...(skip === undefined ? {} : { skip }),
          ...(cursor === undefined ? {} : { cursor }),
          signal: call.signal,
        })
        const body = { path, ref, commits: page.commits.map(toCommit), hasMore: page.hasMore }
        return answer(body, { headers: page.nextCursor === null ? {} : { 'x-next-cursor': page.nextCursor } })
      }),
    ),
  ]
}

function noFile(path: string, ref: string) {
  return problem('not_found', { say: `There is no file ${path} at ${ref}.` })
}

/** The repository was never brought here: there is nothing to show, and the answer says why. */
async function isUnreadable(reading: Reading): Promise<boolean> {
  if (!reading.isStale) return false
  return readBranch(reading.git, reading.defaultBranch).then(
    () => false,
    () => true,
  )
}

function refuseLarge(error: unknown): never {
  if (!GitError.isInstance(error, 'too_large')) throw error
  throw problem('payload_too_large', { say: error.message, next: 'Clone the repository, or download an archive.' })
}

/** An archive cannot leave single files out, so one that would show a hidden file is refused whole. */
async function requireWholeSubtree(reading: Reading, ref: string, path: string, signal: AbortSignal): Promise<void> {
  let hidden = 0
  await reading.viewer.read(async (hides) => {
    hidden = 0
    if (!hides) return
    const isFile = path !== '' && (await listsAsFile(reading, ref, path))
    if (isFile) {
      if (hides(path)) hidden += 1
      return
    }
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof listFiles>> = await listFiles(reading.git, { ref, path, cursor, signal })
      hidden += page.entries.filter((entry) => hides(entry.path)).length
      cursor = page.nextCursor
    } while (cursor !== null)
  })
  if (hidden === 0) return
  throw problem('forbidden', {
    say: 'This folder holds agents or skills that you are not assigned to, and an archive cannot leave them out.',
    next: 'Download a folder without them, or ask a manager of the project.',
  })
}

async function listsAsFile(reading: Reading, ref: string, path: string): Promise<boolean> {
  return readFile(reading.git, { ref, path, maxBytes: 0 }).then(
    () => true,
    (error: unknown) => GitError.isInstance(error, 'too_large'),
  )
}
