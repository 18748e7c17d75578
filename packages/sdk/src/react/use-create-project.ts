'use client'
import type { ProjectListCalls } from '../client/project-calls.ts'
import type { SvcClient } from '../client/svc-client.ts'
import { hookClient, svcKey, useSvcMutation } from './svc-query.ts'

/** The steps of a new project, in their order. */
export const CREATE_PROJECT_STEPS = ['repository', 'commit', 'manifest', 'machine'] as const
export type CreateProjectStep = (typeof CREATE_PROJECT_STEPS)[number]

/** How one step ended: in words for people, or with what went wrong. */
export interface CreateProjectReport {
  readonly step: CreateProjectStep
  readonly detail?: string | undefined
  readonly error?: Error | undefined
}

interface NewProject {
  readonly input: Parameters<ProjectListCalls['provision']>[0]
  /** Told when a step is done; the next one has begun then. */
  readonly onStep: (report: CreateProjectReport) => void
}

/**
 * Makes a project and looks at what was made: its repository, its first commit, its manifest and the machines for its
 * agents. Rejects only when there is no project; a later step that fails is told and ends nothing.
 *
 * @example
 * const create = useCreateProject()
 * const project = await create.mutateAsync({ input: { name: 'Shop' }, onStep: ({ step, detail }) => console.log(step, detail) })
 */
export function useCreateProject() {
  return useSvcMutation(createProject, svcKey('projects'))
}

async function createProject({ input, onStep }: NewProject) {
  const client = hookClient()
  const made = await client.projects.provision(input)
  onStep({ step: 'repository', detail: made.git_origin_url ?? undefined })
  const looks: readonly [CreateProjectStep, (client: SvcClient, projectId: string) => Promise<string>][] = [
    ['commit', describeCommit],
    ['manifest', describeManifest],
    ['machine', describeMachines],
  ]
  for (const [step, look] of looks) {
    try {
      onStep({ step, detail: await look(client, made.project_id) })
    } catch (error) {
      onStep({ step, error: error instanceof Error ? error : new Error(String(error)) })
    }
  }
  return made
}

async function describeCommit(client: SvcClient, projectId: string): Promise<string> {
  const { commits } = await client.project(projectId).git.commits({ limit: 1 })
  const [first] = commits
  if (!first) throw new Error('The repository has no commit.')
  return `${first.short_hash} ${first.subject}`
}

async function describeManifest(client: SvcClient, projectId: string): Promise<string> {
  const { config } = await client.projects.detail(projectId)
  const count = (rows: readonly unknown[], one: string) => `${rows.length} ${one}${rows.length === 1 ? '' : 's'}`
  return `${count(config.agents, 'agent')}, ${count(config.skills, 'skill')}`
}

async function describeMachines(client: SvcClient, projectId: string): Promise<string> {
  const { items } = await client.project(projectId).sandbox.list()
  const template = items.find(({ is_default }) => is_default) ?? items[0]
  if (!template) throw new Error('No sandbox provider is set up, so agents cannot run yet.')
  return template.ready ? `${template.provider}, ready` : `${template.provider}, ${template.provider_state}`
}
