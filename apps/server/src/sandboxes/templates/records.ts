import { isFixableByAgent } from './build-error.ts'
import type { Definition } from './definition.ts'
import type { Coverage } from './observe-template.ts'
import type { BuildRow } from './store/builds.ts'
import type { TransitionRow } from './store/choices.ts'

export function toTemplate(
  definition: Definition,
  coverage: readonly Coverage[],
  { activeProvider, defaultSlug, commit }: { activeProvider: string; defaultSlug: string; commit: string | null },
) {
  const { slug, name, source, image, dockerfilePath, entrypoint, cpu, memoryGb, diskGb } = definition
  const active = coverage.find(({ provider }) => provider === activeProvider)
  return {
    template_id: definition.templateId,
    ...{ slug, name, source, image, entrypoint, cpu },
    is_default: slug === defaultSlug,
    provider: activeProvider,
    has_dockerfile: dockerfilePath !== null,
    has_image: image !== null,
    dockerfile_path: dockerfilePath,
    memory_gb: memoryGb,
    disk_gb: diskGb,
    snapshot_name: active?.snapshotName ?? '',
    content_hash: active?.contentHash ?? '',
    built_from_commit: commit,
    provider_state: active?.status ?? 'unavailable',
    ready: active?.launchReady ?? false,
    provider_coverage: coverage.map(toCoverage),
  }
}

function toCoverage({ provider, available, snapshotName, state, status, launchReady, observedAt }: Coverage) {
  return {
    ...{ provider, available, state, status },
    snapshot_name: snapshotName,
    launch_ready: launchReady,
    observed_at: observedAt?.toISOString() ?? null,
  }
}

export function toBuild(row: BuildRow) {
  return {
    build_id: row.buildId,
    slug: row.slug,
    template_slug: row.slug,
    snapshot_name: row.snapshotName,
    content_hash: row.contentHash,
    status: row.status,
    error: row.error,
    error_category: row.errorCategory,
    fixable_by_agent: row.status === 'failed' && isFixableByAgent(row.errorCategory),
    source: row.source,
    provider: row.provider,
    started_at: row.startedAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
  }
}

/** What everybody may see: no image names, no raw errors, no attempts. */
export function toTransition(row: TransitionRow, activeProvider: string) {
  return {
    transition_id: row.transitionId,
    project_id: row.projectId,
    status: row.status,
    source_provider: row.sourceProvider,
    target_provider: row.targetProvider,
    active_provider: activeProvider,
    label: row.label,
    generation: row.generation,
    error_class: row.errorClass,
    requested_at: row.requestedAt.toISOString(),
    ready_at: row.readyAt?.toISOString() ?? null,
    activated_at: row.activatedAt?.toISOString() ?? null,
    immediate: false,
  }
}

/** For whoever asked for it. */
export function toPreparation(row: TransitionRow, activeProvider: string) {
  return {
    kind: 'preparation' as const,
    ...toTransition(row, activeProvider),
    snapshot_name: row.snapshotName,
    external_template_id: row.externalTemplateId,
    commit_sha: row.commitSha,
    attempts: row.attempts,
    last_error: row.lastError,
  }
}
