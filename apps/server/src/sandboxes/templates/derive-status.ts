import { isFixableByAgent } from './build-error.ts'
import type { Coverage } from './observe-template.ts'
import type { BuildRow } from './store/builds.ts'

export interface StatusInput {
  /** How the project's primary template stands with every provider. */
  readonly coverage: readonly Coverage[]
  readonly activeProvider: string
  /** Newest first; of every template. */
  readonly builds: readonly BuildRow[]
  readonly primarySlug: string
  /** Whether an agent could work at all: the platform's own template can start. */
  readonly canRunAgent: boolean
}

export interface DerivedStatus {
  readonly state: 'ready' | 'building' | 'not_built' | 'degraded' | 'blocked' | 'unknown'
  readonly snapshotName: string | null
  /** A failure that stands in the way now. */
  readonly currentFailure: BuildRow | null
  /** The last failure, when it no longer does; with the reason why. */
  readonly staleFailure: BuildRow | null
  readonly staleReason: 'superseded' | 'recovered' | 'retrying' | null
  readonly readyProviders: readonly string[]
  readonly buildingProviders: readonly string[]
  readonly failedProviders: readonly string[]
  readonly fixWithAgentAvailable: boolean
}

/** What is true now, from what the providers show; an old failure counts only while nothing has overtaken it. */
export function deriveStatus(input: StatusInput): DerivedStatus {
  const { coverage, activeProvider, canRunAgent } = input
  const active = coverage.find(({ provider }) => provider === activeProvider)
  const failure = findFailure(input)
  const staleReason = failure && active ? overtakenBy(failure, active) : null
  const currentFailure = failure && active && staleReason === null ? failure : null
  const having = (status: Coverage['status']) =>
    coverage.filter((one) => one.status === status).map((one) => one.provider)
  return {
    state: stateOf(active, coverage, currentFailure),
    snapshotName: active?.snapshotName ?? null,
    currentFailure,
    staleFailure: staleReason ? failure : null,
    staleReason,
    readyProviders: coverage.filter(({ launchReady }) => launchReady).map(({ provider }) => provider),
    buildingProviders: having('building'),
    failedProviders: having('failed'),
    fixWithAgentAvailable: currentFailure !== null && isFixableByAgent(currentFailure.errorCategory) && canRunAgent,
  }
}

function findFailure({ builds, primarySlug, activeProvider }: StatusInput): BuildRow | null {
  const isOurs = (build: BuildRow) => build.slug === primarySlug && build.provider === activeProvider
  return builds.find((build) => isOurs(build) && build.status === 'failed') ?? null
}

function overtakenBy(failure: BuildRow, active: Coverage): DerivedStatus['staleReason'] {
  if (failure.snapshotName !== active.snapshotName) return 'superseded'
  if (active.status === 'building') return 'retrying'
  return active.launchReady ? 'recovered' : null
}

function stateOf(
  active: Coverage | undefined,
  coverage: readonly Coverage[],
  currentFailure: BuildRow | null,
): DerivedStatus['state'] {
  if (!active || active.status === 'unknown') return 'unknown'
  if (active.launchReady) return coverage.some(({ status }) => status === 'failed') ? 'degraded' : 'ready'
  if (active.status === 'building') return 'building'
  return active.status === 'unavailable' || currentFailure ? 'blocked' : 'not_built'
}
