export {
  type AssignmentFilter,
  type AssignmentInput,
  createAssignment,
  listAssignments,
  listPermissions,
  revokeAssignment,
} from './access/assignments.ts'
export type { AuthCallOptions } from './auth/call-auth.ts'
export { type AuthCalls, auth } from './auth/create-auth.ts'
export {
  createSvcSession,
  type SessionStorage,
  type SvcSession,
  type SvcSessionOptions,
} from './auth/create-svc-session.ts'
export type * from './client/account-calls.ts'
export { type CreateSvcOptions, createRest } from './client/create-rest.ts'
export { createSvc } from './client/create-svc.ts'
export type * from './client/github-calls.ts'
export type * from './client/iam-calls.ts'
export type * from './client/operator-calls.ts'
export type * from './client/project-access-calls.ts'
export type * from './client/project-calls.ts'
export type * from './client/project-sandbox-calls.ts'
export type { RestClient, ServiceCalls, SvcClient, TokenCheck } from './client/svc-client.ts'
export { configureSvc, isConfigured, platformConfig } from './config/platform-config.ts'
export type { ErrorContext, FetchFunction, NotifyEvent, SvcConfig } from './config/svc-config.ts'
export { formatCost, formatTokens } from './cost/format-cost.ts'
export type { ModelPricing, ModelRates, ModelRateTier, PricingLookup, TokenTotals } from './cost/price-tokens.ts'
export { COST_MARKUP, getSessionCost, getTurnCost, type TurnCost } from './cost/sum-cost.ts'
export { ApiError, type ApiErrorFields, AuthError, isApiError, isAuthError } from './errors/api-error.ts'
export {
  BillingError,
  type BillingErrorDetail,
  formatBillingErrorForUI,
  isBillingError,
  parseBillingError,
} from './errors/billing-error.ts'
export {
  FEATURE_DISABLED_CODE,
  FEATURE_NOT_SUPPORTED_CODE,
  featureDisabledKey,
  isAbortError,
  isFeatureDisabledError,
  isRetryableTurnError,
  MODEL_NOT_SERVABLE_CODE,
  PROVISION_IN_FLIGHT_CODE,
} from './errors/guard-errors.ts'
export { HeadlessAuthError, isHeadlessAuthError } from './errors/headless-auth-error.ts'
export {
  isRequestTooLargeError,
  type RequestTooLargeDetail,
  RequestTooLargeError,
} from './errors/request-too-large-error.ts'
export {
  isRuntimeNotReadyError,
  isSessionNotReadyError,
  isSessionStartError,
  RuntimeNotReadyError,
  SessionNotReadyError,
  SessionStartError,
  type SessionStartFailure,
} from './errors/session-errors.ts'
export {
  type ChatEvent,
  type HeartbeatGapEvent,
  heartbeatGapEvent,
  narrowChatEvent,
  type StreamEvent,
} from './events/narrow-chat-event.ts'
export { type EventStreamHandle, type EventStreamOptions, openEventStream } from './events/open-event-stream.ts'
export type { SseFrame } from './events/parse-sse.ts'
export type { EventStreamClient, EventStreamReply, ParkedStream, StreamTimers } from './events/run-event-stream.ts'
export { FEATURE_FLAG_KEYS, type FeatureFlagKey } from './features/feature-flag-keys.ts'
export { type FilesClient, files } from './files/create-files.ts'
export { toDaemonPath, toSandboxAbsolutePath } from './files/map-path.ts'
export type { UploadedFile, UploadOptions, UploadSource } from './files/upload-file.ts'
export type * from './generated/operations.ts'
export {
  type AuthenticatedFetchOptions,
  authenticatedFetch,
  getAuthToken,
  invalidateTokenCache,
  setCachedAuthToken,
} from './http/authenticated-fetch.ts'
export { type BackendApi, type BackendOptions, type BackendResult, backendApi } from './http/backend-api.ts'
export {
  type DetectedLocalhostUrl,
  detectLocalhostUrls,
  hasLocalhostUrls,
} from './localhost/detect-localhost-urls.ts'
export {
  isInternalLocalhostUrl,
  isProxiableLocalhostUrl,
  type LocalhostUrl,
  parseLocalhostUrl,
  proxyLocalhostUrl,
} from './localhost/parse-localhost-url.ts'
export {
  isPreviewUrl,
  type PreviewTarget,
  parseSubdomainUrl,
  proxyUrlToInternal,
} from './localhost/parse-preview-url.ts'
export {
  hasPreviewTarget,
  type PreviewOptions,
  rewriteLocalhostUrl,
  toInternalUrl,
} from './localhost/preview-options.ts'
export { buildWebProxyUrl, isWebProxyUrl, parseWebProxyUrl } from './localhost/web-proxy-url.ts'
export { getSessionHealth, type SessionHealth } from './runtime/get-session-health.ts'
export type { AssistantMessage, RuntimeClient, RuntimeSessionCalls } from './runtime/runtime-calls.ts'
export { dropClientForUrl, getClient, getClientForUrl, resetClient } from './runtime/runtime-client.ts'
export type * from './runtime/runtime-types.ts'
export type * from './session/session-handle.ts'
export type { SessionRuntime } from './session/session-registry.ts'
export { getChildSessionId, getChildSessionToolParts, shouldShowToolPart } from './sessions/find-child-session.ts'
export { generateSessionId } from './sessions/generate-session-id.ts'
export { isRuntimeReady, type RuntimeHealth } from './sessions/is-runtime-ready.ts'
export { allDescendantIds, childMapByParent, type SessionLink } from './sessions/list-descendants.ts'
export {
  getHiddenToolParts,
  getPermissionForTool,
  getQuestionForTool,
  isToolPartHidden,
  type RequestLike,
} from './sessions/match-requests.ts'
export { type SessionRow, sortSessions } from './sessions/sort-sessions.ts'
export {
  type AttemptFailure,
  extractGatewayErrorDetails,
  type GatewayErrorDetails,
} from './status/extract-gateway-error.ts'
export { getRetryInfo, getRetryMessage, type RetryInfo } from './status/get-retry-info.ts'
export { getChildSessionError, getTurnError, getTurnErrorDetails, hasDiffs } from './status/get-turn-error.ts'
export { computeStatusFromPart, getTurnStatus } from './status/get-turn-status.ts'
export { getWorkingState } from './status/get-working-state.ts'
export { unwrapError } from './status/unwrap-error.ts'
export { formatDuration } from './text/format-duration.ts'
export { getDirectory, getFilename, getFileWithDir, relativizePath, stripTrailingSlashes } from './text/split-path.ts'
export { stripAnsi } from './text/strip-ansi.ts'
export { getAgentCardLabel, getToolInfo, type ToolCallInfo } from './tools/describe-tool-call.ts'
export type { DiffLine } from './tools/diff-lines.ts'
export { type ToolCategory, type ToolLabel, toolInfo } from './tools/label-tool.ts'
export type { SearchMatch } from './tools/parse-search-output.ts'
export type { AskedQuestion } from './tools/read-questions.ts'
export { shellExitCode } from './tools/read-shell-output.ts'
export { type TodoItem, type ToolViewModel, toolViewModel, type WebSearchResult } from './tools/view-tool.ts'
export type { ToolView, ToolViewStatus } from './tools/view-tool-part.ts'
export {
  formatTranscript,
  getTranscriptFilename,
  type TranscriptOptions,
  type TranscriptSession,
} from './transcript/format-transcript.ts'
export { type ClassifiedPart, classifyPart } from './turns/classify-part.ts'
export { type ClassifiedTurn, classifyTurn, type TurnError } from './turns/classify-turn.ts'
export { collectTurnParts, findLastTextPart, isLastUserMessage, turnHasSteps } from './turns/collect-parts.ts'
export { compareMessagesForDisplay } from './turns/compare-messages.ts'
export { getShellModePart, isShellMode } from './turns/detect-shell-mode.ts'
export { groupMessagesIntoTurns } from './turns/group-messages.ts'
export {
  getPartText,
  isAgentPart,
  isAttachment,
  isCompactionPart,
  isFilePart,
  isPatchPart,
  isReasoningPart,
  isSnapshotPart,
  isTextPart,
  isToolPart,
} from './turns/guard-part.ts'
export { splitUserParts } from './turns/split-user-parts.ts'
export type * from './wire/message-types.ts'
export type { Part } from './wire/message-types.ts'
