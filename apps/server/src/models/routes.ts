import { operations } from '@svc/contract'
import { type Handled, handle, problem } from '../kernel/http/index.ts'
import { describeModels, isScriptedModel } from './catalog.ts'
import { answerScripted } from './scripted/index.ts'

export function modelRoutes(): Handled[] {
  const { models } = operations
  return [
    handle(models.chatCompletions, ({ body, principal, signal }) => {
      if (principal.boundProjectId === undefined) throw problem('project_required')
      if (!isScriptedModel(body.model)) throw problem('model_not_found', { say: `There is no model “${body.model}”.` })
      return answerScripted(body, signal)
    }),
    handle(models.list, () => ({ models: describeModels() })),
  ]
}
