import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { cursor, instant, queryInteger, uuid } from './kernel/shapes.ts'
import { Part } from './system.ts'

/** For whoever runs this instance: how its parts are, what failed, what is allowed, who is here. */

const JobCounts = z
  .object({
    name: z.string(),
    ready: z.number().int(),
    scheduled: z.number().int(),
    retrying: z.number().int(),
    running: z.number().int(),
    dead: z.number().int(),
  })
  .meta({ id: 'JobCounts', description: 'How many jobs of one name are in which state.' })

const DeadJob = z
  .object({
    job_id: z.string(),
    name: z.string(),
    attempts: z.number().int(),
    last_error: z.string().nullable(),
    created_at: instant,
    failed_at: instant,
  })
  .meta({ id: 'DeadJob', description: 'A job that used up its attempts and waits for a decision.' })

const redirectAddress = z
  .string()
  .max(2048)
  .regex(/^https?:\/\/[^\s\\#]+$/i, 'must be an absolute http or https address without a fragment')
  .refine((address) => URL.canParse(address), 'must be an absolute http or https address without a fragment')

const settings = {
  sign_up: z.enum(['open', 'invitation', 'closed']),
  email_confirmation: z.enum(['auto', 'on', 'off']),
  redirect_allow_list: z.array(redirectAddress).max(100),
  entitlements: z.array(z.enum(['rbac', 'auditAccess', 'branding'])).max(16),
  account_creation: z.enum(['everyone', 'operators']),
}

export const InstanceSettings = z
  .object({ ...settings, is_claimed: z.boolean() })
  .meta({ id: 'InstanceSettings', description: 'What the operator decides for the whole instance.' })

const KeptMail = z
  .object({ mail_id: uuid, to: z.string(), subject: z.string(), text: z.string(), created_at: instant })
  .meta({ id: 'KeptMail', description: 'A mail in the local mailbox.' })

const OperatorUser = z
  .object({
    user_id: uuid,
    email: z.string(),
    is_operator: z.boolean(),
    email_confirmed_at: instant.nullable(),
    created_at: instant,
    last_sign_in_at: instant.nullable(),
    account_count: z.number().int(),
  })
  .meta({ id: 'OperatorUser', description: 'Somebody who has signed up, as the operator sees them.' })

const OperatorSandbox = z
  .object({
    sandbox_id: uuid,
    provider: z.string(),
    template: z.string(),
    status: z.enum(['provisioning', 'active', 'stopped', 'error']),
    status_detail: z.string().nullable(),
    session_id: uuid.nullable(),
    project_id: uuid.nullable(),
    project_name: z.string().nullable(),
    account_id: uuid.nullable(),
    cpu: z.number(),
    memory_limit_bytes: z.number().int(),
    memory_bytes: z.number().int().nullable(),
    processes: z.number().int().nullable(),
    created_at: instant,
    started_at: instant.nullable(),
    last_used_at: instant.nullable(),
  })
  .meta({
    id: 'OperatorSandbox',
    description:
      'A machine of this instance. Without a session it waits in the warm pool. What it uses is null unless it runs.',
  })

/** A number that the database counts up. */
const jobId = { jobId: z.string().regex(/^\d{1,18}$/) }
const page = { cursor: cursor.optional(), limit: queryInteger(1, 1000).optional() }

export const health = operation({
  id: 'operator.health',
  at: 'GET /v1/operator/health',
  summary: 'Each part of the platform, and the jobs as a whole',
  needs: 'operator',
  audit: 'request',
  returns: z.object({ version: z.string(), parts: z.array(Part), jobs: JobCounts.omit({ name: true }) }),
})

export const listJobs = operation({
  id: 'operator.jobs.list',
  at: 'GET /v1/operator/jobs',
  summary: 'How many jobs are in which state, by name',
  needs: 'operator',
  audit: 'request',
  returns: z.object({ jobs: z.array(JobCounts) }),
})

export const listDeadJobs = operation({
  id: 'operator.jobs.dead',
  at: 'GET /v1/operator/jobs/dead',
  summary: 'Jobs that failed for good, newest first',
  needs: 'operator',
  audit: 'request',
  query: z.object(page),
  returns: z.object({ jobs: z.array(DeadJob) }),
})

export const retryJob = operation({
  id: 'operator.jobs.retry',
  at: 'POST /v1/operator/jobs/dead/:jobId/retry',
  summary: 'Give a failed job all its attempts again',
  needs: 'operator',
  audit: 'operator.job.retry',
  params: jobId,
  returns: z.object({ retried: z.literal(true) }),
})

export const discardJob = operation({
  id: 'operator.jobs.discard',
  at: 'DELETE /v1/operator/jobs/dead/:jobId',
  summary: 'Throw a failed job away',
  needs: 'operator',
  audit: 'operator.job.discard',
  params: jobId,
  returns: z.object({ discarded: z.literal(true) }),
})

export const getSettings = operation({
  id: 'operator.settings.get',
  at: 'GET /v1/operator/settings',
  summary: 'The settings of this instance',
  needs: 'operator',
  audit: 'request',
  returns: InstanceSettings,
})

export const updateSettings = operation({
  id: 'operator.settings.update',
  at: 'PATCH /v1/operator/settings',
  summary: 'Change settings of this instance; what is not named stays',
  needs: 'operator',
  audit: 'operator.settings.update',
  body: z.strictObject(settings).partial(),
  returns: InstanceSettings,
})

export const mailbox = operation({
  id: 'operator.mailbox',
  at: 'GET /v1/operator/mailbox',
  summary: 'The newest mails of the local mailbox',
  description: 'Empty where a mail server is set. Mails hold links and codes, so reading them is audited by name.',
  needs: 'operator',
  audit: 'operator.mailbox.read',
  returns: z.object({ enabled: z.boolean(), mails: z.array(KeptMail) }),
})

export const listUsers = operation({
  id: 'operator.users.list',
  at: 'GET /v1/operator/users',
  summary: 'Who has signed up, newest first',
  needs: 'operator',
  audit: 'request',
  query: z.object({ ...page, q: z.string().trim().min(1).max(320).optional() }),
  returns: z.object({ users: z.array(OperatorUser) }),
})

export const listSandboxes = operation({
  id: 'operator.sandboxes.list',
  at: 'GET /v1/operator/sandboxes',
  summary: 'The machines of this instance, newest first, and what those that run use',
  needs: 'operator',
  audit: 'request',
  query: z.object(page),
  returns: z.object({ sandboxes: z.array(OperatorSandbox) }),
})

export const destroySandbox = operation({
  id: 'operator.sandboxes.destroy',
  at: 'DELETE /v1/operator/sandboxes/:sandboxId',
  summary: 'End a machine and remove its disk',
  description:
    'Its session is parked first. What was not committed there is lost; when the session is started again it gets a new machine from its branch and a new conversation. A machine of another server that is up is removed there.',
  needs: 'operator',
  audit: 'operator.sandbox.destroy',
  returns: z.object({ destroyed: z.literal(true) }),
  errors: ['sandbox_unreachable'],
})

export const connectStatus = operation({
  id: 'system.connectStatus',
  at: 'GET /v1/connectors/connect-status',
  summary: 'Whether managed sign-in to outside apps is set up on this deployment',
  needs: 'signed-in',
  audit: 'request',
  returns: z.object({ configured: z.boolean(), provider: z.string().nullable() }),
})
