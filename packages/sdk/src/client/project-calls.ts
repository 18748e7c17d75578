import type { FeatureFlagKey } from '../features/feature-flag-keys.ts'
import type { SessionHandle } from '../session/session-handle.ts'
import type { Body, Query, Result } from './call-types.ts'
import type { ProjectAccessCalls, ProjectSecretCalls, ProjectTokenCalls } from './project-access-calls.ts'
import type { ModelDefaultCalls, ProjectGatewayCalls } from './project-gateway-calls.ts'
import type { ProjectSandboxCalls } from './project-sandbox-calls.ts'

/** `svc.projects` */
export interface ProjectListCalls {
  list(page?: { readonly cursor?: string | undefined }): Result<'projects.list'>
  listForAccount(accountId?: string, cursor?: string): Result<'projects.list'>
  get(projectId: string): Result<'projects.get'>
  detail(projectId: string): Result<'projects.detail'>
  /** From a repository that exists. */
  create(input: Body<'projects.create'>): Result<'projects.create'>
  createRepo(input: Body<'projects.createRepo'>): Result<'projects.createRepo'>
  /** On a new repository of the platform. Repeat with the same `idempotency_key` to get the same project. */
  provision(input: Body<'projects.provision'>): Result<'projects.provision'>
  update(projectId: string, input: Body<'projects.update'>): Result<'projects.update'>
  archive(projectId: string, options?: { readonly purge?: boolean | undefined }): Result<'projects.archive'>
  /** Every model that the project could use. */
  llmCatalog(projectId: string): Result<'projects.llmCatalog'>
  modelPicker(projectId: string): Result<'projects.modelPicker'>
  modelAccess(projectId: string): Result<'projects.modelAccess'>
  /** Switches one model or provider on or off. */
  setModelAccess(projectId: string, change: Body<'projects.setModelAccess'>): Result<'projects.setModelAccess'>
  sandboxTemplates(projectId: string): Result<'sandbox.templates'>
  sandboxHealth(projectId: string): Result<'sandbox.health'>
  sessions(projectId: string, options?: Query<'sessions.list'>): Result<'sessions.list'>
  createSession(projectId: string, input?: Body<'sessions.create'>): Result<'sessions.create'>
}

/** The calls of `svc.project(id)`. */
export interface ProjectCalls {
  readonly id: string
  get(): Result<'projects.get'>
  detail(): Result<'projects.detail'>
  update(input: Body<'projects.update'>): Result<'projects.update'>
  archive(options?: { readonly purge?: boolean | undefined }): Result<'projects.archive'>
  onboardingComplete(completed: boolean): Result<'project.onboardingComplete'>
  validateManifest(raw: string): Result<'project.validateManifest'>
  /** A fresh token to push with. */
  gitToken(): Result<'project.gitToken'>
  setAgentScope(agentName: string, scope: Body<'project.setAgentScope'>): Result<'project.setAgentScope'>
  setDefaultAgent(agentName: string): Result<'project.setDefaultAgent'>
  /** Null clears the override. */
  updateFeatureFlag(feature: FeatureFlagKey, enabled: boolean | null): Result<'project.updateFeatureFlag'>
  /** @deprecated Use `updateFeatureFlag`. */
  updateExperimentalFeature(
    feature: FeatureFlagKey,
    enabled: boolean | null,
  ): Result<'project.updateExperimentalFeature'>
  sandboxHealth(): Result<'sandbox.health'>
  llmCatalog(): Result<'projects.llmCatalog'>
  modelPicker(): Result<'projects.modelPicker'>
  readonly gateway: ProjectGatewayCalls
  readonly modelDefaults: ModelDefaultCalls
  readonly tokens: ProjectTokenCalls
  readonly secrets: ProjectSecretCalls
  readonly access: ProjectAccessCalls
  readonly files: ProjectFileCalls
  readonly git: ProjectGitCalls
  readonly changeRequests: ChangeRequestCalls
  readonly sandbox: ProjectSandboxCalls
  readonly sessions: ProjectSessionCalls
}

/** `svc.project(id)` */
export interface ProjectHandle extends ProjectCalls {
  /** The same as `svc.session(id, sessionId)`. */
  session(sessionId: string): SessionHandle
  readonly sessions: ProjectSessionsHandle
}

/** `svc.project(id).sessions` */
export interface ProjectSessionCalls {
  /** Newest first. `project` also lists, for managers, those that are unavailable, warm or deleted. */
  list(options?: Query<'sessions.list'>): Result<'sessions.list'>
  create(input?: Body<'sessions.create'>): Result<'sessions.create'>
  /** Has one ready before it is asked for. */
  warm(input?: Body<'sessions.warm'>): Result<'sessions.warm'>
}

/** The same with handles of single sessions. */
export interface ProjectSessionsHandle extends ProjectSessionCalls {
  session(sessionId: string): SessionHandle
}

/** `svc.project(id).files`: the repository as it is committed. */
export interface ProjectFileCalls {
  list(options?: Query<'files.list'>): Result<'files.list'>
  read(path: string, ref?: string): Result<'files.read'>
  search(
    query: string,
    options?: {
      readonly content?: boolean | undefined
      readonly ref?: string | undefined
      readonly limit?: number | undefined
    },
  ): Result<'files.search'>
  archive(options?: Query<'files.archive'>): Result<'files.archive'>
  history(path: string, options?: HistoryOptions): Result<'files.history'>
}

interface HistoryOptions {
  readonly ref?: string | undefined
  readonly limit?: number | undefined
  readonly skip?: number | undefined
  readonly cursor?: string | undefined
}

/** `svc.project(id).git` */
export interface ProjectGitCalls {
  commits(options?: HistoryOptions & { readonly path?: string | undefined }): Result<'git.commits'>
  commit(sha: string): Result<'git.commit'>
  commitDiff(sha: string, options?: Query<'git.commitDiff'>): Result<'git.commitDiff'>
  branches(): Result<'git.branches'>
  versionDiff(from: string, to: string): Result<'git.versionDiff'>
}

/** `svc.project(id).changeRequests` */
export interface ChangeRequestCalls {
  list(status?: Query<'changeRequests.list'>['status'], cursor?: string): Result<'changeRequests.list'>
  get(crId: string): Result<'changeRequests.get'>
  diff(crId: string): Result<'changeRequests.diff'>
  mergePreview(crId: string): Result<'changeRequests.mergePreview'>
  open(input: Body<'changeRequests.open'>): Result<'changeRequests.open'>
  edit(crId: string, input: Body<'changeRequests.edit'>): Result<'changeRequests.edit'>
  merge(crId: string, input?: Body<'changeRequests.merge'>): Result<'changeRequests.merge'>
  close(crId: string, input?: Body<'changeRequests.close'>): Result<'changeRequests.close'>
  reopen(crId: string, input?: Body<'changeRequests.reopen'>): Result<'changeRequests.reopen'>
  requestChanges(crId: string, input: Body<'changeRequests.requestChanges'>): Result<'changeRequests.requestChanges'>
}
