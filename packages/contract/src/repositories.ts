import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { bytes } from './kernel/payload.ts'
import { cursor, instant, queryFlag, queryInteger } from './kernel/shapes.ts'
import { ProjectFile } from './projects.ts'

/** A project's repository: its files and history over REST, and git itself over HTTP. */

const project = '/v1/projects/:projectId'
const ref = z.string().min(1).max(250)
const path = z.string().max(4096)
const reading = ['invalid_ref', 'repository_unavailable'] as const
const sha = z
  .string()
  .regex(/^[0-9a-fA-F]{4,64}$/)
  .describe('A commit id, or at least its first four digits.')

export const Commit = z
  .object({
    hash: z.string(),
    short_hash: z.string(),
    parents: z.array(z.string()),
    author_name: z.string(),
    author_email: z.string(),
    authored_at: instant,
    committer_name: z.string(),
    committer_email: z.string(),
    committed_at: instant,
    subject: z.string(),
    body: z.string(),
  })
  .meta({ id: 'Commit', description: 'One commit.' })

export const CommitFile = z
  .object({
    path: z.string(),
    old_path: z.string().nullable(),
    status: z.enum(['added', 'modified', 'deleted', 'renamed', 'copied', 'typechange']),
    additions: z.number().int(),
    deletions: z.number().int(),
  })
  .meta({ id: 'CommitFile', description: 'One file that a commit or a change request changes.' })

const Branch = z
  .object({
    name: z.string(),
    is_default: z.boolean(),
    tip: z.string(),
    tip_short: z.string(),
    subject: z.string(),
    committer_name: z.string(),
    committer_email: z.string(),
    committed_at: instant,
    ahead: z.number().int().nullable(),
    behind: z.number().int().nullable(),
  })
  .meta({ id: 'Branch', description: 'A branch and how far it is from the default branch.' })

export const listFiles = operation({
  id: 'files.list',
  at: `GET ${project}/files`,
  summary: 'List the files of a branch, tag or commit, a thousand a page',
  needs: 'project.file.read',
  audit: 'request',
  query: z.object({ ref: ref.optional(), path: path.optional(), cursor: cursor.optional() }),
  returns: z.array(ProjectFile),
  errors: [...reading],
})

export const readFile = operation({
  id: 'files.read',
  at: `GET ${project}/files/content`,
  summary: 'Read a file',
  description:
    'The `ETag` names the content. A binary file comes as text with replacement characters; use the archive for bytes.',
  needs: 'project.file.read',
  audit: 'request',
  query: z.object({ path: z.string().min(1).max(4096), ref: ref.optional() }),
  returns: z.object({ path: z.string(), ref: z.string(), content: z.string() }),
  errors: [...reading, 'payload_too_large'],
})

export const searchFiles = operation({
  id: 'files.search',
  at: `GET ${project}/files/search`,
  summary: 'Search file names, or with `content=1` what is in the files',
  needs: 'project.file.read',
  audit: 'request',
  query: z.object({
    q: z.string().min(1).max(1000),
    content: queryFlag.optional(),
    ref: ref.optional(),
    limit: queryInteger(1, 200).optional(),
  }),
  returns: z.object({
    query: z.string(),
    ref: z.string(),
    content_search: z.boolean(),
    results: z.array(
      z.object({ path: z.string(), line_number: z.number().int().optional(), line_text: z.string().optional() }),
    ),
  }),
  errors: [...reading],
})

export const archiveFiles = operation({
  id: 'files.archive',
  at: `GET ${project}/files/archive`,
  summary: 'Download files as a gzipped tarball',
  needs: 'project.file.read',
  audit: 'request',
  query: z.object({ ref: ref.optional(), path: path.optional() }),
  returns: bytes('application/gzip'),
  errors: [...reading],
})

const history = z.object({
  ref: ref.optional(),
  limit: queryInteger(1, 200).optional(),
  skip: queryInteger(0, 1_000_000).optional(),
  cursor: cursor.optional(),
})

export const fileHistory = operation({
  id: 'files.history',
  at: `GET ${project}/files/history`,
  summary: 'List the commits that touched a file, through its renames',
  needs: 'project.file.read',
  audit: 'request',
  query: history.extend({ path: z.string().min(1).max(4096) }),
  returns: z.object({ path: z.string(), ref: z.string(), commits: z.array(Commit), hasMore: z.boolean() }),
  errors: [...reading],
})

export const commits = operation({
  id: 'git.commits',
  at: `GET ${project}/commits`,
  summary: 'List commits, newest first',
  needs: 'project.gitops.read',
  audit: 'request',
  query: history.extend({ path: path.optional() }),
  returns: z.object({
    ref: z.string(),
    path: z.string().nullable(),
    commits: z.array(Commit),
    hasMore: z.boolean(),
  }),
  errors: [...reading],
})

export const commit = operation({
  id: 'git.commit',
  at: `GET ${project}/commits/:sha`,
  summary: 'Read a commit and the files it changed',
  needs: 'project.gitops.read',
  audit: 'request',
  params: { sha },
  returns: Commit.extend({ files: z.array(CommitFile) }),
  errors: [...reading],
})

export const commitDiff = operation({
  id: 'git.commitDiff',
  at: `GET ${project}/commits/:sha/diff`,
  summary: 'Read what a commit changed as a patch',
  needs: 'project.gitops.read',
  audit: 'request',
  params: { sha },
  query: z.object({ path: path.optional() }),
  returns: z.object({
    hash: z.string(),
    parent: z.string().nullable(),
    path: z.string().nullable(),
    patch: z.string(),
  }),
  errors: [...reading],
})

export const branches = operation({
  id: 'git.branches',
  at: `GET ${project}/branches`,
  summary: 'List branches, the default branch first',
  needs: 'project.gitops.read',
  audit: 'request',
  returns: z.object({ default_branch: z.string(), branches: z.array(Branch) }),
  errors: [...reading],
})

export const versionDiff = operation({
  id: 'git.versionDiff',
  at: `GET ${project}/version-diff`,
  summary: 'Count what merging one version into another would bring',
  needs: 'project.gitops.read',
  audit: 'request',
  query: z.object({ from: ref, into: ref }),
  returns: z.object({
    from: z.string(),
    into: z.string(),
    from_sha: z.string().nullable(),
    into_sha: z.string().nullable(),
    merge_base: z.string().nullable(),
    files_changed: z.number().int(),
    additions: z.number().int(),
    deletions: z.number().int(),
    is_up_to_date: z.boolean(),
    is_same_ref: z.boolean(),
  }),
  errors: [...reading],
})

const maxPushBytes = 2 * 1024 ** 3

/** What git clients write: the project's id with or without `.git` behind it. */
const projectId = z
  .string()
  .regex(/^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?:\.git)?$/)
  .transform((given) => given.replace(/\.git$/, ''))

const hosting = ['repository_unavailable'] as const

export const infoRefs = operation({
  id: 'gitHosting.infoRefs',
  at: 'GET /v1/git/:projectId/info/refs',
  summary: 'Git’s discovery of branches and tags',
  description:
    'Reading needs `project.gitops.read`, pushing `project.gitops.push`. Basic with the token as password works too.',
  needs: 'project.gitops.read',
  mayNeed: ['project.gitops.push'],
  audit: 'request',
  params: { projectId },
  query: z.object({ service: z.enum(['git-upload-pack', 'git-receive-pack']) }),
  returns: bytes('application/x-git-upload-pack-advertisement'),
  errors: [...hosting],
})

export const uploadPack = operation({
  id: 'gitHosting.uploadPack',
  at: 'POST /v1/git/:projectId/git-upload-pack',
  summary: 'Git’s clone and fetch',
  needs: 'project.gitops.read',
  audit: 'request',
  params: { projectId },
  body: bytes('application/x-git-upload-pack-request'),
  returns: bytes('application/x-git-upload-pack-result'),
  errors: [...hosting],
})

export const receivePack = operation({
  id: 'gitHosting.receivePack',
  at: 'POST /v1/git/:projectId/git-receive-pack',
  summary: 'Git’s push',
  needs: 'project.gitops.push',
  mayNeed: ['project.gitops.ref.any', 'project.gitops.ref.delete'],
  audit: 'repository.push',
  params: { projectId },
  body: bytes('application/x-git-receive-pack-request'),
  maxBodyBytes: maxPushBytes,
  returns: bytes('application/x-git-receive-pack-result'),
  errors: [...hosting],
})
