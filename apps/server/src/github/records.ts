import { z } from 'zod'

/** The parts of GitHub's answers that are read here. What else they hold is left alone. */

const Owner = z.object({ id: z.number(), login: z.string(), type: z.string() })

export const Installation = z.object({
  id: z.number(),
  account: Owner,
  repository_selection: z.string(),
  permissions: z.record(z.string(), z.string()),
  html_url: z.string(),
  suspended_at: z.string().nullish(),
})

export const InstallationPage = z.object({ installations: z.array(z.object({ id: z.number() })) })

export const Person = z.object({ id: z.number(), login: z.string() })

export const Membership = z.object({ state: z.string(), role: z.string() })

export const AccessToken = z.object({ token: z.string().min(1), expires_at: z.iso.datetime({ offset: true }) })

export const Repository = z.object({
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

export const RepositoryPage = z.object({ repositories: z.array(Repository) })

export const BranchPage = z.array(z.object({ name: z.string(), protected: z.boolean() }))

export const Refusal = z.object({
  message: z.string().optional(),
  errors: z.array(z.object({ message: z.string().optional() })).optional(),
})
