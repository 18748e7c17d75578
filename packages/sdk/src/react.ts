'use client'
export { classifySendError, type SendError } from './react/classify-send-error.ts'
export { openPreview } from './react/preview-ticket.ts'
export { stashSessionStart } from './react/start-stash.ts'
/** For React, `@svc/sdk/react`: hooks on TanStack Query. Configure the library with `configureSvc` first. */
export {
  useAccountInvites,
  useAuditExport,
  useBranding,
  useExplain,
  useIdentity,
  usePermissions,
} from './react/use-account-settings.ts'
export {
  useAccount,
  useAccountMembers,
  useAccounts,
  useAccountTokens,
  useAuditLog,
} from './react/use-accounts.ts'
export { useAssignments, usePrincipals, useRoles } from './react/use-assignments.ts'
export {
  type CanAnswer,
  type CanProbe,
  type CanTarget,
  invalidatePermissionProbes,
  useCan,
  useCans,
} from './react/use-can.ts'
export { useChangeRequest, useConflictingFile } from './react/use-change-request.ts'
export { useChangeRequests } from './react/use-change-requests.ts'
export { type ChatTurn, type PartRenderers, renderParts, useChatTurns } from './react/use-chat-turns.ts'
export {
  CREATE_PROJECT_STEPS,
  type CreateProjectReport,
  type CreateProjectStep,
  useCreateProject,
} from './react/use-create-project.ts'
export { useGatewayBudgets, useGatewayFigures, useGatewayKeys, useGatewayLogs } from './react/use-gateway.ts'
export { useModelAccess, useModelDefaults } from './react/use-model-access.ts'
export {
  useOperatorCatalog,
  useOperatorHealth,
  useOperatorJobs,
  useOperatorMailbox,
  useOperatorSandboxes,
  useOperatorSettings,
  useOperatorUsers,
} from './react/use-operator.ts'
export { type PlaygroundAnswer, type PlaygroundQuestion, usePlayground } from './react/use-playground.ts'
export { useProjectAccess, useProjectSecrets, useProjectTokens } from './react/use-project-access.ts'
export { useProjectBranches, useProjectCommit, useProjectCommits } from './react/use-project-git.ts'
export { useAccessRequests, useProjectInvites } from './react/use-project-invites.ts'
export { useProjectSession, useProjectSessions, useRuntimePhase } from './react/use-project-sessions.ts'
export {
  useFeatureFlag,
  useProject,
  useProjectConfig,
  useProjectFile,
  useProjectFiles,
  useProjects,
  useVisibleAgents,
} from './react/use-projects.ts'
export { type ProposedFile, useProposeFile } from './react/use-propose-file.ts'
export { useGatewayRouting, useGatewayRoutingPolicy, useProjectModels } from './react/use-routing.ts'
export { type RuntimePhase, type UseSession, type UseSessionOptions, useSession } from './react/use-session.ts'
export { useSessionCommit } from './react/use-session-commit.ts'
export {
  type FileEdit,
  type SavedFile,
  useRefreshSessionFiles,
  useSaveSessionFile,
  useSessionAttachments,
} from './react/use-session-files.ts'
export {
  useSessionCost,
  useSessionFile,
  useSessionFolder,
  useSessionPreviews,
  useSessionShares,
} from './react/use-session-outside.ts'
export { useSessionPicks } from './react/use-session-picks.ts'
export {
  connectTerminal,
  type TerminalConnection,
  type TerminalEvents,
  type TerminalSize,
  useSessionTerminals,
} from './react/use-session-terminals.ts'
