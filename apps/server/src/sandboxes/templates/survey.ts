import { problem } from '../../kernel/http/index.ts'
import type { SandboxProvider } from '../provider.ts'
import { type Definition, defaultSlug, identifyImage } from './definition.ts'
import { deriveStatus } from './derive-status.ts'
import { type Coverage, observeTemplate } from './observe-template.ts'
import type { Parts } from './parts.ts'
import { type Definitions, readDefinitions } from './read-definitions.ts'
import { toBuild, toTemplate } from './records.ts'
import { type BuildRow, listBuilds, listLatestBuilds } from './store/builds.ts'
import { findSelectedProvider } from './store/choices.ts'

export const buildsShown = 25

/** Which provider serves the project: the one it chose while that is offered, else the platform's default. */
export interface Choice {
  readonly selected: string | null
  readonly activeId: string
  readonly active: SandboxProvider | undefined
}

export async function readChoice({ kernel, providers }: Parts, projectId: string): Promise<Choice> {
  const selected = await findSelectedProvider(kernel.database.db, projectId)
  const offered = providers()
  const active = offered.find(({ id }) => id === selected) ?? offered[0]
  return { selected, activeId: active?.id ?? selected ?? 'local', active }
}

export function describeChoice({ selected }: Choice) {
  return {
    provider_mode: selected === null ? ('automatic' as const) : ('pinned' as const),
    selected_provider: selected,
  }
}

/** Everything there is to say about a project's templates, as the providers see them now. */
export interface Survey extends Definitions {
  readonly choice: Choice
  readonly coverage: ReadonlyMap<string, readonly Coverage[]>
  readonly latest: readonly BuildRow[]
}

export async function surveyTemplates(parts: Parts, projectId: string, only?: readonly string[]): Promise<Survey> {
  const [definitions, choice] = await Promise.all([readDefinitions(parts, projectId), readChoice(parts, projectId)])
  const looked = definitions.templates.filter(({ slug }) => only === undefined || only.includes(slug))
  const providers = parts.providers()
  const names = looked.flatMap((one) =>
    providers.map((provider) => identifyImage(projectId, one, provider).snapshotName),
  )
  const latest = await listLatestBuilds(parts.kernel.database.db, projectId, [...new Set(names)])
  const coverage = new Map<string, readonly Coverage[]>()
  await Promise.all(
    looked.map(async (definition) => {
      const seen = providers.map((provider) => {
        const { snapshotName } = identifyImage(projectId, definition, provider)
        const build = latest.find((row) => row.provider === provider.id && row.snapshotName === snapshotName)
        return observeTemplate(projectId, definition, provider, build)
      })
      coverage.set(definition.slug, await Promise.all(seen))
    }),
  )
  return { ...definitions, choice, coverage, latest }
}

export function describeTemplate(survey: Survey, definition: Definition) {
  const { choice, coverage, latest, defaultSlug: primary } = survey
  const seen = coverage.get(definition.slug) ?? []
  const active = seen.find(({ provider }) => provider === choice.activeId)
  const built = latest.find(
    (row) => row.provider === active?.provider && row.snapshotName === active.snapshotName && row.status === 'ready',
  )
  const commit = built?.commitSha ?? null
  return toTemplate(definition, seen, { activeProvider: choice.activeId, defaultSlug: primary, commit })
}

export function describeStatus(survey: Survey, builds: readonly BuildRow[]) {
  const status = statusOf(survey, builds)
  return {
    state: status.state,
    snapshot_name: status.snapshotName,
    current_failure: status.currentFailure && toBuild(status.currentFailure),
    stale_failure: status.staleFailure && toBuild(status.staleFailure),
    stale_reason: status.staleReason,
    ready_providers: [...status.readyProviders],
    building_providers: [...status.buildingProviders],
    failed_providers: [...status.failedProviders],
    fix_with_agent_available: status.fixWithAgentAvailable,
  }
}

export function statusOf(survey: Survey, builds: readonly BuildRow[]) {
  const { choice, coverage, defaultSlug: primarySlug } = survey
  const platform = coverage.get(defaultSlug) ?? []
  return deriveStatus({
    coverage: coverage.get(primarySlug) ?? [],
    activeProvider: choice.activeId,
    builds,
    primarySlug,
    canRunAgent: platform.some(({ provider, launchReady }) => provider === choice.activeId && launchReady),
  })
}

export async function listTemplates(parts: Parts, projectId: string) {
  const survey = await surveyTemplates(parts, projectId)
  return {
    items: survey.templates.map((definition) => describeTemplate(survey, definition)),
    default_slug: survey.defaultSlug,
    ...describeChoice(survey.choice),
  }
}

export async function readSnapshots(parts: Parts, projectId: string) {
  const survey = await surveyTemplates(parts, projectId)
  const builds = await listBuilds(parts.kernel.database.db, projectId, buildsShown)
  return {
    templates: survey.templates.map((definition) => describeTemplate(survey, definition)),
    templates_error: survey.error,
    builds: builds.map(toBuild),
    status: describeStatus(survey, builds),
    ...describeChoice(survey.choice),
  }
}

/** Only what the primary template needs is asked of the providers, each of which has eight seconds. */
export async function readHealth(parts: Parts, projectId: string) {
  const builds = await listBuilds(parts.kernel.database.db, projectId, buildsShown)
  const { defaultSlug: primarySlug } = await readDefinitions(parts, projectId)
  const survey = await surveyTemplates(parts, projectId, [primarySlug, defaultSlug])
  const definition = survey.templates.find(({ slug }) => slug === primarySlug)
  const status = describeStatus(survey, builds)
  const isKnown = status.state !== 'unknown'
  const template = definition && describeTemplate(survey, definition)
  const failure = builds.find((build) => build.status === 'failed')
  return {
    primary_slug: primarySlug,
    primary_template: isKnown ? (template ?? null) : null,
    ready: template?.ready ?? false,
    building: status.state === 'building' || status.building_providers.includes(survey.choice.activeId),
    latest_build: builds[0] ? toBuild(builds[0]) : null,
    latest_failure: failure ? toBuild(failure) : null,
    status: isKnown ? status : null,
    ...describeChoice(survey.choice),
  }
}

export function requireDefinition({ templates }: Definitions, slug: string): Definition {
  const found = templates.find((one) => one.slug === slug)
  if (!found) throw problem('template_not_found')
  return found
}
