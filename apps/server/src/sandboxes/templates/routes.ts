import { operations } from '@svc/contract'
import { type Handled, handle, problem } from '../../kernel/http/index.ts'
import { buildTemplate, createTemplate, removeTemplate, requireRow, updateTemplate } from './change-template.ts'
import { fixWithAgent } from './fix-with-agent.ts'
import type { Parts } from './parts.ts'
import { rebuildSnapshot } from './rebuild-snapshot.ts'
import { toBuild } from './records.ts'
import type { BuildJob } from './request-build.ts'
import { readTransition, setProvider, type TransitionJob } from './set-provider.ts'
import { findBuild } from './store/builds.ts'
import { listTemplates, readHealth, readSnapshots } from './survey.ts'

export function templateRoutes(parts: Parts, jobs: { build: BuildJob; transition: TransitionJob }): Handled[] {
  const ops = operations.sandboxes
  return [
    handle(ops.list, ({ projectId }) => listTemplates(parts, projectId)),
    handle(ops.listTemplates, ({ projectId }) => listTemplates(parts, projectId)),
    handle(ops.snapshots, ({ projectId }) => readSnapshots(parts, projectId)),
    handle(ops.health, ({ projectId }) => readHealth(parts, projectId)),
    handle(ops.rebuildSnapshot, (call) => rebuildSnapshot(parts, jobs.build, call)),
    handle(ops.fixWithAgent, (call) => fixWithAgent(parts, call)),
    handle(ops.buildLog, async ({ projectId, params }) => {
      const row = await findBuild(parts.kernel.database.db, params.buildId)
      if (row?.projectId !== projectId) throw problem('not_found')
      return { build: toBuild(row), log: row.log }
    }),
    handle(ops.createTemplate, (call) => createTemplate(parts, jobs.build, call)),
    handle(ops.updateTemplate, (call) => updateTemplate(parts, jobs.build, call)),
    handle(ops.removeTemplate, (call) => removeTemplate(parts, call)),
    handle(ops.buildTemplate, async (call) => {
      const { projectId, accountId, actor, params } = call
      const row = await requireRow(parts, projectId, params.templateId)
      const providers = await buildTemplate(parts, jobs.build, call, row.slug)
      if (providers.length === 0) throw problem('sandbox_provider_unavailable')
      await parts.kernel.database.transact(actor, async (tx) => {
        const resource = { resourceType: 'sandbox_template', resourceId: row.templateId }
        await tx.audit({ action: 'sandbox.build', accountId, projectId, ...resource, metadata: { providers } })
      })
      return { status: 'started' as const, template_id: row.templateId, slug: row.slug, providers }
    }),
    handle(ops.setProvider, (call) => setProvider(parts, jobs.transition, call)),
    handle(ops.transition, ({ projectId }) => readTransition(parts, projectId)),
  ]
}
