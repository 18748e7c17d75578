import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { listOperations } from '@svc/contract'
import { type AccessCapability, accessChanged, createAccess } from './access/index.ts'
import { createAccounts } from './accounts/index.ts'
import { type Audit, createAudit } from './audit/index.ts'
import { createChangeRequests } from './change-requests/index.ts'
import { createGithub } from './github/index.ts'
import { createIdentity } from './identity/index.ts'
import type { Capability } from './kernel/capability.ts'
import type { Config } from './kernel/config.ts'
import { databaseCheck } from './kernel/database/check-database.ts'
import { isDatabaseLost } from './kernel/database/index.ts'
import { createPreviewHosts, type Finished, type Gate, type Handled, type PreviewHosts } from './kernel/http/index.ts'
import {
  createApp,
  createClientIpReader,
  createDeadlines,
  createHostCheck,
  createOpenStreams,
  createReplay,
  type OpenStreams,
  serveHttp,
} from './kernel/http/server.ts'
import { createIdempotency } from './kernel/idempotency/index.ts'
import { createMaintenance, startJobs } from './kernel/jobs/index.ts'
import { type Kernel, type OnStop, startKernel } from './kernel/kernel.ts'
import type { Logger } from './kernel/log/index.ts'
import { findPackageRoot } from './kernel/package-root.ts'
import { StartError } from './kernel/start-error.ts'
import { createCallLimits } from './limit-calls.ts'
import { createMail } from './mail/index.ts'
import { createGatewayAlias, createModels } from './models/index.ts'
import { createOAuth } from './oauth/index.ts'
import { createOperator } from './operator/index.ts'
import { createPages } from './pages/index.ts'
import { createProjectAccess } from './project-access/index.ts'
import { createProjects } from './projects/index.ts'
import { createRepositories } from './repositories/index.ts'
import { createRuntimes } from './runtimes/index.ts'
import { createSandboxProxy } from './sandbox-proxy/index.ts'
import { createEgress, egressSettings } from './sandboxes/egress/index.ts'
import { createSandboxes } from './sandboxes/index.ts'
import { createTemplates } from './sandboxes/templates/index.ts'
import { createSecrets } from './secrets/index.ts'
import { createSessions } from './sessions/index.ts'
import { createSystem } from './system/index.ts'
import { createWeb } from './web/index.ts'

export interface Platform {
  /** Where people open it. */
  readonly url: string
  readonly version: string
  /** Milliseconds of the start, by phase. */
  readonly phases: Readonly<Record<string, number>>
  /** Makes the first person the owner; undefined once it was used. A secret. */
  readonly firstRunUrl: string | undefined
  /** Takes no new work, finishes what runs, closes everything. Safe to call twice. */
  stop(): Promise<void>
}

const drainMs = 10_000

/** Builds the whole platform from its parts, in the order they stand on each other. */
export async function startPlatform(config: Config, log: Logger): Promise<Platform> {
  const stops: (() => void | Promise<void>)[] = []
  let draining: Promise<void> | undefined
  const stop = () => {
    draining ??= stopAll(stops, log)
    return draining
  }

  const onStop = (part: () => void | Promise<void>) => void stops.push(part)

  try {
    const kernel = await startKernel({ config, log, onStop })
    const version = readVersion()
    // Jobs and links may ask before the port is open; only a port that the system picks is not known yet.
    let publicUrl = config.publicUrl ?? `http://${displayHost(config.host)}:${config.port}`
    let httpPort = config.port
    const capabilities: Capability[] = []
    const checks = () => [databaseCheck(kernel.database), ...capabilities.flatMap(({ checks = [] }) => checks)]
    const system = createSystem({
      kernel,
      version,
      publicUrl: () => publicUrl,
      checks,
      isDraining: () => draining !== undefined,
    })
    const access = createAccess(kernel, {
      ensurePersonalAccount: (userId) => accounts.ensurePersonalAccount(userId),
      isEntitled: async (_accountId, entitlement) =>
        (await identity.settings.read()).entitlements.includes(entitlement),
      endServiceAccount: async (tx, serviceAccountId) => {
        await identity.revokeTokens(tx, { serviceAccountId })
        await identity.revocations.announce(tx, [serviceAccountId])
      },
      projectOfSandbox: (externalId) => sessions.projectOfMachine(externalId),
      forgetOffers: (tx, revoked) => accounts.invites.forgetOffers(tx, revoked),
    })
    onStop(() => access.stop())
    const mail = createMail(kernel)
    const identity = createIdentity(kernel, {
      mail,
      publicUrl: () => publicUrl,
      hasPendingInvite: (email) => accounts.hasPendingInvite(email),
      endAppAccess: (tx, userId) => oauth.endAccess(tx, userId),
      onStop,
    })
    const audit = createAudit(kernel, {
      isEntitled: (accountId) => access.isEntitled(accountId, 'auditAccess'),
      onStop,
    })
    const oauth = createOAuth(kernel, {
      revocations: identity.revocations,
      publicUrl: () => publicUrl,
      defaultAccount: access.defaultAccount,
    })
    identity.addSource(oauth.credentials)
    const accounts = createAccounts({ kernel, access, identity, mail, publicUrl: () => publicUrl })
    const maintenance = createMaintenance({ sql: kernel.database.sql, envelope: kernel.envelope })
    const listJobs = () => [...maintenance.jobs, ...capabilities.flatMap(({ jobs = [] }) => jobs)]
    const operator = createOperator({
      kernel,
      version,
      settings: identity.settings,
      mail,
      checks,
      jobs: listJobs,
      machines: () => sandboxes,
      isAtOtherServer: (nodeId) => sessions.isAtOtherServer(nodeId),
      parkSession: (actor, sessionId, detail) => sessions.park(actor, sessionId, detail),
    })
    const pages = createPages(kernel, {
      signIn: identity.pageSignIn,
      mail,
      publicUrl: () => publicUrl,
      invites: () => accounts.accountInvites,
      consents: () => ({
        describe: (requestId, { id }) => oauth.describeRequest(requestId, id),
        decide: (requestId, approved, { id, actor }) => oauth.decide(requestId, id, approved, actor),
      }),
    })
    const github = createGithub(kernel, { projects: () => projects })
    const previewHosts = createPreviewHosts(config.previewUrl)
    const web = createWeb({ previewOrigins: () => previewHosts.origins(publicUrl) })
    const repositories = createRepositories(kernel, {
      onStop,
      accountRole: access.accountRole,
      appToken: github.tokenFor,
    })
    const projects = createProjects(kernel, {
      repositories,
      access,
      tokens: identity,
      appHost: github.host,
      sandboxProviders: () => sandboxes.providers,
      selectedProviders: (projectIds) => templates.selectedProviders(projectIds),
      publicUrl: () => publicUrl,
    })
    const templates = createTemplates(kernel, {
      providers: () => sandboxes.providers.map(sandboxes.requireProvider),
      repositories,
      describeProject: projects.describeProject,
      startSession: (call, { name, prompt, sandboxSlug }) =>
        sessions.startFor(call, { name, sandbox_slug: sandboxSlug, pending_prompt: { text: prompt } }),
    })
    const changeRequests = createChangeRequests(kernel, {
      repositories,
      openSession: async (principal, sessionId) => (await sessions.open(principal, sessionId)).row,
      deliverFeedback: ({ projectId, sessionId, crId, text }) =>
        sessions.deliverFeedback({ projectId, sessionId, crId, text }),
    })
    const secrets = createSecrets(kernel, {
      features: projects,
      repositories,
      syncSessions: (projectId) => sessions.syncSecrets(projectId),
    })
    const projectAccess = createProjectAccess(kernel, {
      access,
      invites: accounts.invites,
      tokens: identity,
      mail,
      repositories,
      secrets,
      publicUrl: () => publicUrl,
    })
    capabilities.push(access, accounts, audit, identity, mail, operator, oauth, pages, system, web)
    const models = createModels(kernel, {
      projects,
      secrets,
      tokens: identity,
      publicUrl: () => publicUrl,
      onStop,
    })
    capabilities.push(models, templates, egressSettings(kernel))
    capabilities.push(repositories, projects, github, changeRequests, secrets, projectAccess)
    const egress = createEgress(kernel, { platformPort: () => httpPort })
    onStop(() => egress.stop())
    const runtimes = createRuntimes()
    const { runtimeFiles: machineFiles, warmRuntime } = runtimes
    const sandboxes = createSandboxes(kernel, { onStop, egress, machineFiles, warmRuntime })
    const sessions = createSessions(kernel, {
      sandboxes: templates.machinesOf(sandboxes),
      templates,
      runtimes,
      models: { listModels: models.listServed, readSessionCost: models.readSessionCost },
      projects,
      repositories,
      secrets,
      access,
      refusal: access.gate.refusal,
      tokens: identity,
      audit,
      publicUrl: () => publicUrl,
      onStop,
    })
    capabilities.push(sandboxes, runtimes, sessions)
    const sandboxProxy = createSandboxProxy(kernel, {
      sandboxes,
      sessions,
      previews: identity.previews,
      isCredential: identity.isCredential,
      hosts: previewHosts,
      publicUrl: () => publicUrl,
      onStop,
    })
    capabilities.push(sandboxProxy)
    await models.repair()
    await sandboxes.repair()
    await sessions.repair()
    await projects.repair()
    await changeRequests.repair()
    await templates.repair()

    const jobs = await startJobs({
      sql: kernel.database.sql,
      connectionString: kernel.database.connectionString,
      log,
      jobs: listJobs(),
      schedules: [...maintenance.schedules, ...capabilities.flatMap(({ schedules = [] }) => schedules)],
    })
    onStop(() => jobs.stop())

    const listenAt = performance.now()
    const gate: Gate = { authenticate: identity.authenticate, ...access.gate }
    const streams = createOpenStreams(gate, kernel.clock)
    identity.revocations.onRevoked(streams.endRevoked)
    kernel.events.subscribe(accessChanged, ({ account_id }) => streams.recheck(account_id), {
      onGap: () => streams.recheck(undefined),
    })
    const http = await listen(kernel, { capabilities, gate, access, audit, previewHosts, streams }, onStop)
    httpPort = http.port
    publicUrl = config.publicUrl ?? `http://${displayHost(config.host)}:${http.port}`
    await sessions.start()
    return {
      url: publicUrl,
      version,
      firstRunUrl: await identity.announceFirstRun(),
      phases: { ...kernel.database.phases, listenMs: performance.now() - listenAt },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

interface Front {
  readonly capabilities: readonly Capability[]
  readonly gate: Gate
  readonly access: AccessCapability
  readonly audit: Audit
  readonly previewHosts: PreviewHosts
  readonly streams: OpenStreams
}

async function listen(kernel: Kernel, front: Front, onStop: OnStop) {
  const { capabilities, gate, access, audit, previewHosts, streams } = front
  const { config } = kernel
  const handlers = capabilities.flatMap(({ routes }) => routes)
  requireEveryHandler(handlers)
  const deadlines = createDeadlines()
  onStop(() => deadlines.stop())
  const ownUrls = [config.publicUrl, config.gatewayUrl].filter((url) => url !== undefined)
  const ownHosts = ownUrls.map((url) => new URL(url).hostname)
  const isOwnHost = createHostCheck([...config.allowedHosts, config.host, ...ownHosts])
  const app = createApp(handlers, {
    gate,
    requireEntitlement: access.requireEntitlement,
    deadlines,
    readClientIp: createClientIpReader(config.trustedProxies),
    isKnownHost: (host) => isOwnHost(host) || previewHosts.isPreviewHost(host),
    validateResponses: config.validateResponses,
    isPassing: (error) => isDatabaseLost(error, kernel.database.connection),
    onFinished: (finished) => {
      record(finished, kernel)
      audit.recordRequest(finished)
    },
    limitRate: createCallLimits(kernel.rateLimits),
    streams,
    replay: createReplay(
      createIdempotency({ sql: kernel.database.sql, envelope: kernel.envelope, clock: kernel.clock }),
    ),
  })
  const onError = (error: Error) => kernel.log.error('the port met an error', { error })
  const openGateway = createGatewayAlias(config.gatewayUrl, config.publicUrl)
  const onRequest = (incoming: IncomingMessage) => {
    previewHosts.rewrite(incoming)
    openGateway(incoming)
  }
  const http = await serveHttp({ app, host: config.host, port: config.port, onRequest, onError })
  onStop(() => http.drain(drainMs))
  return http
}

/** The reverse of the order in which the parts were built; one that fails to stop keeps no other from stopping. */
async function stopAll(stops: readonly (() => void | Promise<void>)[], log: Logger): Promise<void> {
  for (const stop of [...stops].reverse()) {
    try {
      await stop()
    } catch (error) {
      log.error('a part did not stop cleanly', { error })
    }
  }
}

/** An operation that nobody answers is a mistake in this program, found before the port opens. */
function requireEveryHandler(handlers: readonly Handled[]): void {
  const handled = new Set(handlers.map(({ operation }) => operation.id))
  const missing = listOperations().filter(({ id }) => !handled.has(id))
  if (missing.length === 0) return
  throw new StartError(
    `No handler answers ${missing.map(({ id }) => id).join(', ')}.`,
    'Bind each operation of the contract in its capability’s routes.ts.',
  )
}

function record({ request, principal, status, durationMs, problem, fault }: Finished, { log, metrics }: Kernel): void {
  const { operation } = request
  metrics.countRequest(operation.id, status, durationMs)
  const actorId = principal?.id
  log.access({
    requestId: request.id,
    method: operation.method,
    route: operation.path,
    status,
    durationMs,
    ...(actorId ? { actorId } : {}),
  })
  if (fault !== undefined)
    log.error('a request failed', { request_id: request.id, operation: operation.id, error: fault })
  if (problem?.privately !== undefined) log.warn(problem.privately, { request_id: request.id, code: problem.code })
}

function readVersion(): string {
  const document: unknown = JSON.parse(readFileSync(new URL('package.json', findPackageRoot()), 'utf8'))
  return typeof document === 'object' && document !== null && 'version' in document ? String(document.version) : '0.0.0'
}

function displayHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
