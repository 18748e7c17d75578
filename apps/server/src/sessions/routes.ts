import { operations } from '@svc/contract'
import { type Handled, handle } from '../kernel/http/index.ts'
import { openSession } from './access.ts'
import { deleteSession, updateSession } from './change-session.ts'
import { createSession } from './create/create-session.ts'
import { warmSession } from './create/warm-session.ts'
import { commitPush } from './lifecycle/commit-push.ts'
import { restartSession, startSession, stopByCall } from './lifecycle/start-session.ts'
import { listSessions } from './list-sessions.ts'
import { followLog } from './log/follow-log.ts'
import { readMessages, readTranscript } from './log/read-messages.ts'
import type { Parts } from './parts.ts'
import { answerQuestion, readQuestion } from './prompts/questions.ts'
import { cancelPrompt, holdPrompts, listPrompts, readTurn, retryPrompt, sendPrompt } from './prompts/routes.ts'
import { readAudit } from './read-audit.ts'
import { readCost } from './read-cost.ts'
import { describeSession } from './session-record.ts'
import { changeModel, readConfigState, reloadConfig } from './settings/config.ts'
import { changeScope, readScope } from './settings/scope.ts'
import { setSharing } from './share-session.ts'
import { listPreviews } from './shares/previews.ts'
import { createPublicShare, listPublicShares, revokePublicShare } from './shares/public-shares.ts'
import { readPublicMessages, readPublicShare } from './shares/read-public.ts'

export function sessionRoutes(parts: Parts): Handled[] {
  const ops = operations.sessions
  return [
    handle(ops.list, (call) => listSessions(parts, call)),
    handle(ops.create, (call) => createSession(parts, call)),
    handle(ops.warm, (call) => warmSession(parts, call)),
    handle(ops.get, async (call) => {
      const { row, viewer } = await openSession(parts, call)
      return describeSession(parts, viewer, row)
    }),
    handle(ops.update, (call) => updateSession(parts, call)),
    handle(ops.remove, (call) => deleteSession(parts, call)),
    handle(ops.start, (call) => startSession(parts, call)),
    handle(ops.restart, (call) => restartSession(parts, call)),
    handle(ops.stop, (call) => stopByCall(parts, call)),
    handle(ops.setSharing, (call) => setSharing(parts, call)),
    handle(ops.commit, (call) => commitPush(parts, call)),
    handle(ops.transcript, (call) => readTranscript(parts, call)),
    handle(ops.messages, (call) => readMessages(parts, call)),
    handle(ops.audit, (call) => readAudit(parts, call)),
    handle(ops.cost, (call) => readCost(parts, call)),
    handle(ops.events, (call) => followLog(parts, call)),
    handle(ops.turn, (call) => readTurn(parts, call)),
    handle(ops.sendPrompt, (call) => sendPrompt(parts, call)),
    handle(ops.listPrompts, (call) => listPrompts(parts, call)),
    handle(ops.cancelPrompt, (call) => cancelPrompt(parts, call)),
    handle(ops.retryPrompt, (call) => retryPrompt(parts, call)),
    handle(ops.holdPrompts, (call) => holdPrompts(parts, call)),
    handle(ops.scope, (call) => readScope(parts, call)),
    handle(ops.rescope, (call) => changeScope(parts, call)),
    handle(ops.changeModel, (call) => changeModel(parts, call)),
    handle(ops.configState, (call) => readConfigState(parts, call)),
    handle(ops.reloadConfig, (call) => reloadConfig(parts, call)),
    handle(ops.question, (call) => readQuestion(parts, call)),
    handle(ops.answerQuestion, (call) => answerQuestion(parts, call)),
    handle(ops.previews, (call) => listPreviews(parts, call)),
    handle(ops.listShares, (call) => listPublicShares(parts, call)),
    handle(ops.createShare, (call) => createPublicShare(parts, call)),
    handle(ops.revokeShare, (call) => revokePublicShare(parts, call)),
    handle(ops.publicShare, (call) => readPublicShare(parts, call)),
    handle(ops.publicMessages, (call) => readPublicMessages(parts, call)),
  ]
}
