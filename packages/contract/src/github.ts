import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { instant, queryInteger, uuid } from './kernel/shapes.ts'
import { branch, GitConnection, manifestPath, Project } from './projects.ts'

/** GitHub: the app's installations of an account, what they reach, and projects on repositories that live there. */

const base = '/v1/projects/github'
const installationId = z.string().regex(/^\d{1,20}$/, 'must be the number of an installation')
const fullName = z.string().max(200)
const account = { account_id: uuid.optional() }

export const InstallationStatus = z
  .object({
    account_id: uuid,
    installation_row_id: uuid.nullable(),
    installed: z.boolean(),
    configured: z.boolean(),
    requires_installation: z.boolean(),
    install_url: z.string().nullable(),
    installation_id: z.string().nullable(),
    owner_login: z.string().nullable(),
    owner_type: z.string().nullable(),
    repository_selection: z.string().nullable(),
    permissions: z.record(z.string(), z.string()),
    installation_url: z.string().nullable(),
    updated_at: instant.nullable(),
  })
  .meta({
    id: 'GithubInstallationStatus',
    description: 'Whether the GitHub app of this instance is installed for an account, and where.',
  })

const Installations = InstallationStatus.extend({ installations: z.array(InstallationStatus) }).meta({
  id: 'GithubInstallations',
  description: 'The installation used when none is named, with all of the account’s.',
})

export const GithubRepository = z
  .object({
    id: z.number().int(),
    name: z.string(),
    full_name: z.string(),
    private: z.boolean(),
    html_url: z.string(),
    clone_url: z.string(),
    ssh_url: z.string(),
    default_branch: z.string(),
    description: z.string().nullable(),
  })
  .meta({ id: 'GithubRepository', description: 'A repository at GitHub that an installation reaches.' })

export const getInstallation = operation({
  id: 'github.getInstallation',
  at: `GET ${base}/installation`,
  summary: 'Tell whether the GitHub app is installed for an account',
  description:
    'Where no app is set up, `configured` is false. `install_url` is for those who may change the account: it works once, within the hour, for the account and person it was given to.',
  needs: 'project.create',
  audit: 'request',
  query: z.object(account),
  returns: Installations,
})

export const listInstallations = operation({
  id: 'github.listInstallations',
  at: `GET ${base}/installations`,
  summary: 'List the installations of the GitHub app that an account has saved',
  needs: 'project.create',
  audit: 'request',
  query: z.object(account),
  returns: Installations,
})

export const saveInstallation = operation({
  id: 'github.saveInstallation',
  at: `POST ${base}/installation`,
  summary: 'Save an installation of the GitHub app, as the last step of installing it',
  description:
    'The account is the one in `state`. The token must be of somebody who administers the installation; it is used once, here, and not kept.',
  needs: 'user',
  mayNeed: ['account.write'],
  audit: 'github.installation.save',
  body: z.object({
    state: z.string().min(1).max(2000),
    installation_id: z.union([installationId, z.number().int().positive()]),
    github_user_token: z.string().min(1).max(1000),
  }),
  returns: InstallationStatus,
  deadlineMs: 60_000,
  errors: ['invalid_request', 'github_unavailable', 'feature_not_supported'],
})

export const deleteInstallation = operation({
  id: 'github.deleteInstallation',
  at: `DELETE ${base}/installation`,
  summary: 'Forget an installation of the GitHub app, or all of an account’s',
  description: 'Projects linked through it can be read as they were, but not brought up to date or pushed.',
  needs: 'account.write',
  audit: 'github.installation.delete',
  query: z.object({ ...account, installation_id: installationId.optional() }),
  returns: z.object({ ok: z.literal(true) }),
  errors: ['not_found', 'feature_not_supported'],
})

export const listRepositories = operation({
  id: 'github.listRepositories',
  at: `GET ${base}/repositories`,
  summary: 'List the repositories that an installation reaches',
  needs: 'project.create',
  mayNeed: ['account.write'],
  audit: 'request',
  query: z.object({
    ...account,
    installation_id: installationId.optional(),
    search: z.string().max(120).optional(),
    limit: queryInteger(1, 100).optional(),
  }),
  returns: z.object({
    account_id: uuid,
    configured: z.boolean(),
    installation_id: z.string().nullable(),
    owner_login: z.string().nullable(),
    repositories: z.array(GithubRepository),
  }),
  deadlineMs: 60_000,
  errors: ['installation_required', 'github_unavailable'],
})

export const listRepositoryBranches = operation({
  id: 'github.listRepositoryBranches',
  at: `GET ${base}/repository-branches`,
  summary: 'List the branches of a repository that an installation reaches',
  needs: 'project.create',
  mayNeed: ['account.write'],
  audit: 'request',
  query: z.object({ ...account, installation_id: installationId.optional(), repo_full_name: fullName }),
  returns: z.object({
    account_id: uuid,
    configured: z.boolean(),
    installation_id: z.string().nullable(),
    owner_login: z.string().nullable(),
    repo_full_name: z.string(),
    default_branch: z.string().nullable(),
    branches: z.array(z.object({ name: z.string(), protected: z.boolean() })),
  }),
  deadlineMs: 60_000,
  errors: ['not_found', 'installation_required', 'github_unavailable'],
})

export const linkRepository = operation({
  id: 'github.linkRepository',
  at: 'POST /v1/projects/link-repository',
  summary: 'Make a project on a repository at GitHub',
  description:
    'Reached through an installation of the app, or with `github_token`, which is kept encrypted and needs no app. One of `repo_full_name` and `repo_url` is required.',
  needs: 'project.create',
  mayNeed: ['account.write'],
  audit: 'project.create',
  body: z
    .object({
      repo_full_name: fullName.optional(),
      repo_url: z.string().min(1).max(2000).optional(),
      account_id: uuid.optional(),
      installation_id: z.union([installationId, z.number().int().positive()]).optional(),
      name: z.string().trim().min(1).max(120).optional(),
      default_branch: branch.optional(),
      manifest_path: manifestPath.optional(),
      github_token: z.string().min(1).max(4096).optional(),
    })
    .refine(({ repo_full_name, repo_url }) => (repo_full_name === undefined) !== (repo_url === undefined), {
      message: 'send either repo_full_name or repo_url',
      path: ['repo_full_name'],
    }),
  returns: z.object({ project: Project, git_connection: GitConnection.nullable() }),
  status: 201,
  deadlineMs: 120_000,
  errors: [
    'invalid_repository',
    'project_limit_reached',
    'installation_required',
    'github_unavailable',
    'feature_not_supported',
  ],
})
