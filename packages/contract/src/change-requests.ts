import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { cursor, instant, uuid } from './kernel/shapes.ts'
import { CommitFile } from './repositories.ts'

/** Change requests: how work on a branch reaches the default branch. */

const base = '/v1/projects/:projectId/change-requests'
const one = `${base}/:crId` as const
const ref = z.string().min(1).max(250)
const git = ['invalid_ref', 'repository_unavailable'] as const

export const ChangeRequest = z
  .object({
    cr_id: uuid,
    account_id: uuid,
    project_id: uuid,
    number: z.number().int(),
    title: z.string(),
    description: z.string(),
    base_ref: z.string(),
    head_ref: z.string(),
    status: z.enum(['open', 'merged', 'closed']),
    head_commit_sha: z.string().nullable(),
    base_commit_sha: z.string().nullable(),
    origin_session_id: uuid.nullable(),
    created_by: z.string(),
    merged_at: instant.nullable(),
    merged_by: z.string().nullable(),
    merge_commit_sha: z.string().nullable(),
    closed_at: instant.nullable(),
    closed_by: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'ChangeRequest', description: 'A branch that asks to be merged.' })

export const list = operation({
  id: 'changeRequests.list',
  at: `GET ${base}`,
  summary: 'List change requests, highest number first',
  needs: 'project.gitops.read',
  audit: 'request',
  query: z.object({ status: z.enum(['open', 'merged', 'closed', 'all']).optional(), cursor: cursor.optional() }),
  returns: z.object({ change_requests: z.array(ChangeRequest) }),
})

export const get = operation({
  id: 'changeRequests.get',
  at: `GET ${one}`,
  summary: 'Read a change request; an open one tells its current tips',
  needs: 'project.gitops.read',
  audit: 'request',
  returns: z.object({ change_request: ChangeRequest }),
})

export const diff = operation({
  id: 'changeRequests.diff',
  at: `GET ${one}/diff`,
  summary: 'Read what a change request changes since its branch parted from the base',
  needs: 'project.gitops.read',
  audit: 'request',
  returns: z.object({
    cr_id: uuid,
    base_ref: z.string(),
    head_ref: z.string(),
    base_sha: z.string(),
    head_sha: z.string(),
    merge_base: z.string().nullable(),
    files: z.array(CommitFile),
    files_changed: z.number().int(),
    additions: z.number().int(),
    deletions: z.number().int(),
    patch: z.string(),
  }),
  errors: [...git],
})

export const mergePreview = operation({
  id: 'changeRequests.mergePreview',
  at: `GET ${one}/merge-preview`,
  summary: 'Try the merge without doing it',
  needs: 'project.gitops.read',
  audit: 'request',
  returns: z.object({
    base_sha: z.string(),
    head_sha: z.string(),
    merge_base: z.string().nullable(),
    can_fast_forward: z.boolean(),
    can_merge: z.boolean(),
    conflicts: z.array(z.string()),
    is_up_to_date: z.boolean(),
  }),
  errors: [...git],
})

export const open = operation({
  id: 'changeRequests.open',
  at: `POST ${base}`,
  summary: 'Open a change request',
  needs: 'project.gitops.push',
  audit: 'change_request.open',
  body: z.object({
    title: z.string().trim().min(1).max(500),
    head_ref: ref,
    description: z.string().max(65_536).optional(),
    base_ref: ref.optional(),
    session_id: uuid.optional(),
  }),
  returns: ChangeRequest,
  status: 201,
  errors: [...git, 'cr_head_not_ahead'],
})

export const edit = operation({
  id: 'changeRequests.edit',
  at: `PATCH ${one}`,
  summary: 'Change the title or description of an open change request',
  needs: 'project.gitops.push',
  audit: 'change_request.edit',
  body: z.object({
    title: z.string().trim().min(1).max(500).optional(),
    description: z.string().max(65_536).optional(),
  }),
  returns: ChangeRequest,
  errors: ['change_request_not_open'],
})

const expectedSha = z
  .string()
  .regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, 'must be a full commit id')
  .optional()

export const merge = operation({
  id: 'changeRequests.merge',
  at: `POST ${one}/merge`,
  summary: 'Merge a change request',
  description:
    'The base branch moves once and atomically, to exactly what was looked at. `expected_head_sha` and `expected_base_sha` name the commits of a preview; when one has moved since, nothing happens.',
  needs: 'project.gitops.merge',
  audit: 'change_request.merge',
  body: z
    .object({
      message: z.string().max(65_536).optional(),
      expected_head_sha: expectedSha,
      expected_base_sha: expectedSha,
    })
    .prefault({}),
  returns: z.object({
    change_request: ChangeRequest,
    merge: z.object({
      merge_commit_sha: z.string(),
      fast_forward: z.boolean(),
      base_sha_before: z.string(),
      base_sha_after: z.string(),
    }),
  }),
  errors: [
    ...git,
    'change_request_not_open',
    'merge_in_progress',
    'stale_preview',
    'merge_conflict',
    'nothing_to_merge',
    'manifest_invalid',
  ],
})

const comment = z.object({ comment: z.string().max(20_000).optional() }).prefault({})

export const close = operation({
  id: 'changeRequests.close',
  at: `POST ${one}/close`,
  summary: 'Close a change request without merging it',
  needs: 'project.gitops.push',
  audit: 'change_request.close',
  body: comment,
  returns: ChangeRequest,
  errors: ['change_request_not_open'],
})

export const reopen = operation({
  id: 'changeRequests.reopen',
  at: `POST ${one}/reopen`,
  summary: 'Open a closed change request again',
  needs: 'project.gitops.push',
  audit: 'change_request.reopen',
  body: comment,
  returns: ChangeRequest,
  errors: ['change_request_not_closed'],
})

export const requestChanges = operation({
  id: 'changeRequests.requestChanges',
  at: `POST ${one}/request-changes`,
  summary: 'Ask for changes, and pass the feedback on to the session the request came from',
  needs: 'project.review.act',
  audit: 'change_request.request_changes',
  body: z.object({ feedback: z.string().trim().min(1).max(65_536), deliver: z.boolean().optional() }),
  returns: z.object({ change_request: ChangeRequest, delivering: z.boolean() }),
  errors: ['change_request_not_open'],
})
