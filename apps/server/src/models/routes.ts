import { operations } from '@svc/contract'
import { type Handled, handle } from '../kernel/http/index.ts'
import { readAccess, readCatalog, readPicker, setAccess } from './access/model-access.ts'
import { readBudgets, removeBudget, setBudget } from './budgets/budgets.ts'
import { toModelInfos } from './catalog/model-info.ts'
import { readCatalogState, refreshCatalog } from './catalog/refresh/refresh-catalog.ts'
import { exportCosts } from './costs/export-session-costs.ts'
import { listCosts } from './costs/list-session-costs.ts'
import { clearDefault, readDefaults, setDefault } from './defaults/model-defaults.ts'
import * as figures from './figures/figures.ts'
import { openProject } from './gateway/describe-call.ts'
import type { Gateway } from './gateway/gateway.ts'
import { createKey, readKeys, revokeKey } from './keys/keys.ts'
import { readLog, readLogs } from './logs/logs.ts'
import type { Parts } from './parts.ts'
import { runPlayground } from './playground/playground.ts'
import { readRetention, setRetention } from './prompts/retention.ts'
import { disabledBy, listModels } from './resolve-model.ts'
import { previewRoute, readDocument, resetDocument, setDocument } from './routing/document.ts'

const { models, modelUsage: usage } = operations

export function modelRoutes(parts: Parts, gateway: Gateway): Handled[] {
  return [
    handle(models.chatCompletions, (call) => gateway.serve('chat', call)),
    handle(models.messages, (call) => gateway.serve('messages', call)),
    handle(models.messagesBelow, (call) => gateway.serve('messages', call)),
    handle(models.responses, (call) => gateway.serve('responses', call)),
    handle(models.embeddings, (call) => gateway.serve('embeddings', call)),
    handle(models.playground, (call) => gateway.serveProject(call.projectId, 'chat', call)),
    handle(models.list, async (call) => {
      const snapshot = await parts.snapshots.read(await openProject(call))
      const isAsked = (provider: string) => call.query.scope === undefined || provider === 'svc'
      const shown = listModels(snapshot).filter(
        ({ wireId, provider }) => isAsked(provider) && disabledBy(snapshot, wireId) === undefined,
      )
      const data = shown.map(({ wireId, provider }) => ({
        id: wireId,
        object: 'model' as const,
        created: 0,
        owned_by: provider,
      }))
      return { object: 'list' as const, data, models: toModelInfos(shown) }
    }),
    handle(models.health, () => ({ status: 'ok' as const })),
    handle(models.getCatalog, () => readCatalogState(parts)),
    handle(models.refreshCatalog, ({ actor }) => refreshCatalog(parts, actor)),
    ...settingRoutes(parts),
    ...usageRoutes(parts),
  ]
}

function settingRoutes(parts: Parts): Handled[] {
  return [
    handle(models.getRouting, async (call) =>
      readDocument(parts, call.projectId, await call.can('project.customize.write')),
    ),
    handle(models.setRouting, (call) => setDocument(parts, call)),
    handle(models.resetRouting, (call) => resetDocument(parts, call)),
    handle(models.previewRouting, (call) => previewRoute(parts, call)),
    handle(models.modelAccess, (call) => readAccess(parts, call.projectId)),
    handle(models.setModelAccess, (call) => setAccess(parts, call)),
    handle(models.llmCatalog, (call) => readCatalog(parts, call.projectId)),
    handle(models.modelPicker, (call) => readPicker(parts, call.projectId)),
    handle(models.getDefaults, (call) => readDefaults(parts, call)),
    handle(models.setDefault, (call) => setDefault(parts, call)),
    handle(models.clearDefault, (call) => clearDefault(parts, call)),
  ]
}

function usageRoutes(parts: Parts): Handled[] {
  return [
    handle(usage.logs, (call) => readLogs(parts, call)),
    handle(usage.log, (call) => readLog(parts, call)),
    handle(usage.overview, (call) => figures.readOverview(parts, call)),
    handle(usage.series, (call) => figures.readSeries(parts, call)),
    handle(usage.breakdown, (call) => figures.readBreakdown(parts, call)),
    handle(usage.sessions, (call) => figures.readSessions(parts, call)),
    handle(usage.errors, (call) => figures.readErrors(parts, call)),
    handle(usage.sessionCosts, (call) => listCosts(parts, call)),
    handle(usage.exportSessionCosts, (call) => exportCosts(parts, call)),
    handle(usage.budgets, (call) => readBudgets(parts, call.projectId)),
    handle(usage.setBudget, (call) => setBudget(parts, call)),
    handle(usage.deleteBudget, (call) => removeBudget(parts, call)),
    handle(usage.keys, (call) => readKeys(parts, call.projectId)),
    handle(usage.createKey, (call) => createKey(parts, call)),
    handle(usage.revokeKey, (call) => revokeKey(parts, call)),
    handle(usage.retention, (call) => readRetention(parts, call.projectId)),
    handle(usage.setRetention, (call) => setRetention(parts, call)),
    handle(usage.playground, (call) => runPlayground(parts, call)),
  ]
}
