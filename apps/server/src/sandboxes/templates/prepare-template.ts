import { setTimeout as sleep } from 'node:timers/promises'
import { systemActor } from '../../kernel/actor.ts'
import { problem } from '../../kernel/http/index.ts'
import type { MachineResources, SandboxProvider } from '../provider.ts'
import { canRun, type Definition, identifyImage, needsImage, platformTemplate } from './definition.ts'
import type { Parts } from './parts.ts'
import { type Definitions, readDefinitions } from './read-definitions.ts'
import { type BuildJob, requestBuild } from './request-build.ts'
import { findBuild } from './store/builds.ts'
import { readChoice } from './survey.ts'

/** What a machine of a template is made from. */
export interface ResolvedTemplate {
  readonly slug: string
  readonly provider: string
  /** Undefined for the default template of a provider that runs on the host's own files. */
  readonly image: string | undefined
  readonly resources: MachineResources
  readonly entrypoint: string | null
}

export interface TemplateQuestion {
  readonly projectId: string
  /** Without one, the project's default. */
  readonly slug?: string | undefined
  /** Without one, the provider that serves the project. */
  readonly provider?: string | undefined
}

/** Says at once what cannot work: an unknown template, an unknown provider, or one that does not run such a template. */
export async function resolveTemplate(parts: Parts, question: TemplateQuestion): Promise<ResolvedTemplate> {
  const { resolved } = await resolve(parts, question)
  return resolved
}

/** The same, with the image there: it is built first when it is not. Throws `template_not_built` when that fails. */
export async function prepareTemplate(
  parts: Parts,
  job: BuildJob,
  question: TemplateQuestion & { readonly accountId: string; readonly signal: AbortSignal },
): Promise<ResolvedTemplate> {
  const { resolved, definition, definitions, provider } = await resolve(parts, question)
  if (resolved.image === undefined || (await provider.hasImage?.(resolved.image))) return resolved
  const { projectId, accountId, signal } = question
  const { commit } = definitions
  const build = await parts.kernel.database.transact(systemActor, (tx) =>
    requestBuild(tx, job, provider, { projectId, accountId, definition, commit, source: 'session-start' }),
  )
  for (;;) {
    const row = await findBuild(parts.kernel.database.db, build.buildId)
    if (row?.status === 'ready') return resolved
    if (row?.status !== 'building') {
      const extras = { build_id: build.buildId, category: row?.errorCategory ?? null }
      throw problem('template_not_built', { ...(row?.error ? { say: row.error } : {}), extras })
    }
    await sleep(250, undefined, { signal })
  }
}

async function resolve(parts: Parts, { projectId, slug, provider: wanted }: TemplateQuestion) {
  const [read, choice] = await Promise.all([
    slug === platformTemplate.slug ? undefined : readDefinitions(parts, projectId),
    wanted === undefined ? readChoice(parts, projectId) : undefined,
  ])
  const provider = choice ? choice.active : parts.providers().find(({ id }) => id === wanted)
  if (!provider && wanted !== undefined) {
    throw problem('unknown_sandbox_provider', { extras: { available: parts.providers().map(({ id }) => id) } })
  }
  if (!provider) throw problem('sandbox_provider_unavailable')
  // Nothing in a repository takes the place of the platform's own: without an image to build there is nothing to read.
  const isPlain = !read && !needsImage(platformTemplate, provider)
  const definitions = isPlain ? platformOnly : (read ?? (await readDefinitions(parts, projectId)))
  const definition = findDefinition(definitions, slug)
  if (!canRun(definition, provider)) throw problem('template_unsupported', { extras: { provider: provider.id } })
  return { definitions, definition, provider, resolved: describe(projectId, definition, provider) }
}

const platformOnly: Pick<Definitions, 'templates' | 'defaultSlug' | 'commit'> = {
  templates: [platformTemplate],
  defaultSlug: platformTemplate.slug,
  commit: null,
}

function findDefinition(
  { templates, defaultSlug }: Pick<Definitions, 'templates' | 'defaultSlug'>,
  slug: string | undefined,
): Definition {
  const wanted = slug ?? defaultSlug
  const found = templates.find((one) => one.slug === wanted)
  if (!found) {
    const known = templates.map((one) => one.slug).join(', ')
    const say = `The project has no sandbox template named ${wanted}.`
    throw problem('unknown_sandbox_template', { say, next: `Choose one of: ${known}.` })
  }
  return found
}

function describe(projectId: string, definition: Definition, provider: SandboxProvider): ResolvedTemplate {
  const { slug, cpu, memoryGb, diskGb, entrypoint } = definition
  const { snapshotName } = identifyImage(projectId, definition, provider)
  return {
    slug,
    provider: provider.id,
    image: needsImage(definition, provider) ? snapshotName : undefined,
    resources: { cpu, memoryGb, diskGb },
    entrypoint,
  }
}
