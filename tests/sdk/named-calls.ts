/** The names that the specification gives to helpers, and to the calls of the client. */

export const namedHelpers = `
getSessionHealth isRuntimeReady detectLocalhostUrls rewriteLocalhostUrl proxyLocalhostUrl parseLocalhostUrl
buildWebProxyUrl getClient authenticatedFetch getAuthToken classifyPart classifyTurn toolInfo getToolInfo toolViewModel
groupMessagesIntoTurns collectTurnParts findLastTextPart turnHasSteps isShellMode getShellModePart isTextPart isToolPart
isReasoningPart isFilePart isAgentPart isCompactionPart isSnapshotPart isPatchPart getPartText getWorkingState
getTurnStatus formatDuration getTurnError getChildSessionError unwrapError getTurnCost getSessionCost formatCost
formatTokens COST_MARKUP getChildSessionId getChildSessionToolParts getPermissionForTool getHiddenToolParts
isToolPartHidden getFilename getDirectory relativizePath stripAnsi sortSessions childMapByParent allDescendantIds
getRetryInfo getRetryMessage files backendApi createSvc configureSvc platformConfig isConfigured ApiError AuthError
BillingError RequestTooLargeError SessionNotReadyError RuntimeNotReadyError SessionStartError HeadlessAuthError
isFeatureDisabledError featureDisabledKey parseBillingError isBillingError formatBillingErrorForUI isAbortError
isRetryableTurnError isSessionStartError getClientForUrl dropClientForUrl resetClient openEventStream narrowChatEvent
heartbeatGapEvent createSvcSession listAssignments createAssignment revokeAssignment listPermissions FEATURE_FLAG_KEYS
generateSessionId formatTranscript getTranscriptFilename isAttachment splitUserParts compareMessagesForDisplay
isLastUserMessage shouldShowToolPart getQuestionForTool getAgentCardLabel getFileWithDir shellExitCode
computeStatusFromPart extractGatewayErrorDetails getTurnErrorDetails hasDiffs stripTrailingSlashes hasLocalhostUrls
parseSubdomainUrl proxyUrlToInternal isPreviewUrl isProxiableLocalhostUrl isInternalLocalhostUrl hasPreviewTarget
toInternalUrl parseWebProxyUrl isWebProxyUrl toDaemonPath toSandboxAbsolutePath FEATURE_DISABLED_CODE
FEATURE_NOT_SUPPORTED_CODE MODEL_NOT_SERVABLE_CODE PROVISION_IN_FLIGHT_CODE invalidateTokenCache setCachedAuthToken
`

/** For React, `@svc/sdk/react`. */
export const namedHooks = `
useSession useChatTurns renderParts useModelAccess useFeatureFlag useProjectSecrets useProjectTriggers useChangeRequests
useGatewayRoutingPolicy useModelDefaults useProjectModels useProjectConfig useVisibleAgents useCan useCans
invalidatePermissionProbes useSessionPicks useRuntimePhase useProjectSession classifySendError
`

/** The entries beside the root: `@svc/sdk/server`, `/message-queue`, `/event-stream`. */
export const namedElsewhere: Record<string, string> = {
  server: 'runWithSvc createScopedSvc getScopedConfig forwardSvcRequest createSvcAuth',
  'message-queue':
    'createSessionQueue enqueue claimNext completeInFlight failInFlight retryFailed removeQueued editQueued reorderQueued',
  'event-stream': 'createSSEStream openEventStream narrowChatEvent heartbeatGapEvent',
}

/** Group, then its calls. `project` and `session` are handles. */
export const namedCalls = `
: validateToken connectStatus runtime project session
auth: signUp signInWithPassword sendMagicLink verifyOtp signInWithProvider exchangeCode refresh resetPassword updatePassword user signOut session
accounts: list get create updateName leave members invite updateMemberRole removeMember invites cancelInvite resendInvite
accounts.branding: get update uploadAsset removeAsset reset
accounts.tokens: list create revoke
accounts.audit: log export
accounts.audit.webhooks: list create update remove
accountInvites: describe accept decline
projects: list listForAccount get detail create createRepo provision update archive llmCatalog modelPicker sandboxTemplates sandboxHealth sessions createSession modelAccess setModelAccess
connectors: catalog tools search describe call uploadAttachment
github: getInstallation listInstallations saveInstallation deleteInstallation listRepositories listRepositoryBranches linkRepository
billing: accountState accountStateMinimal transactions transactionsSummary creditBreakdown usageHistory tierConfigurations
billing.sessionCosts: list get
billing.checkout: createSession confirmSession
billing.subscription: createPortalSession cancel reactivate scheduleDowngrade cancelScheduledChange prorationPreview
billing.credits: purchase autoTopupSettings configureAutoTopup
sandboxShares: list create revoke
marketplace: items item itemFile marketplaces featured
marketplace.sources: list add remove
project: get detail update archive llmCatalog modelPicker sandboxHealth onboardingComplete validateManifest gitToken setAgentScope setDefaultAgent updateFeatureFlag updateExperimentalFeature session
project.tokens: list create revoke
project.setupLinks: requestSecret requestConnector
project.secrets: list upsert setStrategy broker remove setPersonal removePersonal setGitCredential
project.access: list invite update revoke pendingInvites resendInvite revokeInvite requests approveRequest rejectRequest groupGrants attachGroupGrant updateGroupGrant detachGroupGrant
project.access.resourceGrants: list create remove
project.connectors: catalog tools search describe call uploadAttachment list config create remove sync setName setSensitive setAuthorizationStrategy setCredentialMode setCredential
project.connectors.auth: discover
project.connectors.policies: get set
project.connectors.connections: list reconcile updateCredential revoke activate
project.connectors.discover: list detail
project.connectors.pipedream: listApps connect finalize
project.policies: list set
project.triggers: list create update remove fire setActivation
project.marketplace: list install updates update updateAll remove
project.registry: list install updates update updateAll remove
project.files: list read search archive history
project.git: commits commit commitDiff branches versionDiff
project.changeRequests: list get diff mergePreview open merge close reopen requestChanges
project.sessions: list create session
project.approvals: list sessionsNeedingInput resolve
project.gateway: logs log overview series breakdown sessions errors budgets setBudget deleteBudget keys createKey revokeKey playground
project.gateway.routing: get set reset preview
project.channels.slack: installation mode manifest connect disconnect getFile uploadFile
project.channels.email: installation mode connect disconnect updatePolicy
project.channels.voice: setBotName
project.modelDefaults: get set clear
project.sandbox: list snapshots rebuildSnapshot fixWithAgent createTemplate updateTemplate removeTemplate buildTemplate setProvider
session: get update delete start restart stop reloadConfig setSharing previews commit transcript audit cost ensureReady health previewUrl proxyUrl setModel setAgent send abort messages rewind restoreRewind changeModel scope rescope turn configState stream
session.publicShares: list create revoke
session.permissions: list reply
session.questions: list reply reject
session.prompts: list send cancel retry hold
session.files: list read readBlob status findFiles findText upload write create copy remove mkdir rename
`
