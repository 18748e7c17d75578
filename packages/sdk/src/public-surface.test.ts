import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import * as eventStream from './event-stream.ts'
import * as sdk from './index.ts'
import * as messageQueue from './message-queue.ts'
import * as react from './react.ts'
import * as server from './server.ts'
import * as sessionState from './session-state.ts'

const SOURCE = dirname(fileURLToPath(import.meta.url))

test('the exported names are the agreed ones; a change here is a change of the public surface', () => {
  expect(Object.keys(sdk).sort()).toMatchInlineSnapshot(`
    [
      "ApiError",
      "AuthError",
      "BillingError",
      "COST_MARKUP",
      "FEATURE_DISABLED_CODE",
      "FEATURE_FLAG_KEYS",
      "FEATURE_NOT_SUPPORTED_CODE",
      "HeadlessAuthError",
      "MODEL_NOT_SERVABLE_CODE",
      "PROVISION_IN_FLIGHT_CODE",
      "RequestTooLargeError",
      "RuntimeNotReadyError",
      "SessionNotReadyError",
      "SessionStartError",
      "allDescendantIds",
      "auth",
      "authenticatedFetch",
      "backendApi",
      "buildWebProxyUrl",
      "childMapByParent",
      "classifyPart",
      "classifyTurn",
      "collectTurnParts",
      "compareMessagesForDisplay",
      "computeStatusFromPart",
      "configureSvc",
      "createAssignment",
      "createRest",
      "createSvc",
      "createSvcSession",
      "detectLocalhostUrls",
      "dropClientForUrl",
      "extractGatewayErrorDetails",
      "featureDisabledKey",
      "files",
      "findLastTextPart",
      "formatBillingErrorForUI",
      "formatCost",
      "formatDuration",
      "formatTokens",
      "formatTranscript",
      "generateSessionId",
      "getAgentCardLabel",
      "getAuthToken",
      "getChildSessionError",
      "getChildSessionId",
      "getChildSessionToolParts",
      "getClient",
      "getClientForUrl",
      "getDirectory",
      "getFileWithDir",
      "getFilename",
      "getHiddenToolParts",
      "getPartText",
      "getPermissionForTool",
      "getQuestionForTool",
      "getRetryInfo",
      "getRetryMessage",
      "getSessionCost",
      "getSessionHealth",
      "getShellModePart",
      "getToolInfo",
      "getTranscriptFilename",
      "getTurnCost",
      "getTurnError",
      "getTurnErrorDetails",
      "getTurnStatus",
      "getWorkingState",
      "groupMessagesIntoTurns",
      "hasDiffs",
      "hasLocalhostUrls",
      "hasPreviewTarget",
      "heartbeatGapEvent",
      "invalidateTokenCache",
      "isAbortError",
      "isAgentPart",
      "isApiError",
      "isAttachment",
      "isAuthError",
      "isBillingError",
      "isCompactionPart",
      "isConfigured",
      "isFeatureDisabledError",
      "isFilePart",
      "isHeadlessAuthError",
      "isInternalLocalhostUrl",
      "isLastUserMessage",
      "isPatchPart",
      "isPreviewUrl",
      "isProxiableLocalhostUrl",
      "isReasoningPart",
      "isRequestTooLargeError",
      "isRetryableTurnError",
      "isRuntimeNotReadyError",
      "isRuntimeReady",
      "isSessionNotReadyError",
      "isSessionStartError",
      "isShellMode",
      "isSnapshotPart",
      "isTextPart",
      "isToolPart",
      "isToolPartHidden",
      "isWebProxyUrl",
      "listAssignments",
      "listPermissions",
      "narrowChatEvent",
      "openEventStream",
      "parseBillingError",
      "parseLocalhostUrl",
      "parseSubdomainUrl",
      "parseWebProxyUrl",
      "platformConfig",
      "proxyLocalhostUrl",
      "proxyUrlToInternal",
      "relativizePath",
      "resetClient",
      "revokeAssignment",
      "rewriteLocalhostUrl",
      "setCachedAuthToken",
      "shellExitCode",
      "shouldShowToolPart",
      "sortSessions",
      "splitUserParts",
      "stripAnsi",
      "stripTrailingSlashes",
      "toDaemonPath",
      "toInternalUrl",
      "toSandboxAbsolutePath",
      "toolInfo",
      "toolViewModel",
      "turnHasSteps",
      "unwrapError",
    ]
  `)
})

test.each([
  ['message-queue', messageQueue],
  ['event-stream', eventStream],
  ['session-state', sessionState],
  ['server', server],
  ['react', react],
])('the exported names of %s are the agreed ones', (name, entry) => {
  expect({ name, exports: Object.keys(entry).sort() }).toMatchSnapshot()
})

test('every public function and class has a doc comment, every function an example', () => {
  const undocumented: string[] = []
  const sources = [...walk(SOURCE)].map((path) => readFileSync(path, 'utf8'))
  for (const [name, entry] of Object.entries({
    ...sdk,
    ...messageQueue,
    ...eventStream,
    ...sessionState,
    ...server,
    ...react,
  })) {
    if (typeof entry !== 'function') continue
    const declaration = new RegExp(`/\\*\\*((?:[^*]|\\*(?!/))*)\\*/\\nexport (?:async )?(?:function|class) ${name}\\b`)
    const comment = sources.map((source) => declaration.exec(source)?.[1]).find((found) => found !== undefined)
    if (comment === undefined || !comment.includes('@example')) undocumented.push(name)
  }
  expect(undocumented).toEqual([])
})

test('the root reaches no built-in module, no package and no name that only a browser or only Node has', () => {
  const seen = new Set<string>()
  const offences: string[] = []
  const visit = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    const source = readFileSync(path, 'utf8')
    for (const [, specifier = ''] of source.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)) {
      if (specifier.startsWith('.')) visit(resolve(dirname(path), specifier))
      else offences.push(`${path}: ${specifier}`)
    }
    const code = source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'|\/(?:[^/\\\n]|\\.)+\/[a-z]*/g, '')
    for (const [name] of code.matchAll(
      /(?<![.\w])(?:process|window|document|localStorage|Buffer|require)\b(?!\s*:)/g,
    )) {
      offences.push(`${path}: ${name}`)
    }
  }
  for (const entry of ['index', 'message-queue', 'event-stream', 'session-state']) visit(join(SOURCE, `${entry}.ts`))
  expect(offences).toEqual([])
  expect(seen.size).toBeGreaterThan(40)
})

function* walk(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* walk(path)
    else if (entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts')) yield path
  }
}
