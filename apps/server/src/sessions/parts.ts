import type { AccessCapability } from '../access/index.ts'
import type { Audit } from '../audit/index.ts'
import type { Repository } from '../git/index.ts'
import type { Tokens } from '../identity/index.ts'
import type { Gate } from '../kernel/http/index.ts'
import type { Kernel, OnStop } from '../kernel/kernel.ts'
import type { SessionCost } from '../models/index.ts'
import type { Projects } from '../projects/index.ts'
import type { ManifestFile, Repositories } from '../repositories/index.ts'
import type { AgentRuntime, CompiledConfig, RuntimeModel } from '../runtimes/index.ts'
import type { Secrets } from '../secrets/index.ts'
import type { LiveSessions } from './lifecycle/live.ts'
import type { SignOfLife } from './lifecycle/sign-of-life.ts'
import type { LogTails } from './log/log-tails.ts'
import type { MachineSource } from './machine-source.ts'

export type { Machine, MachineRequest, MachineSource, MachineStatus } from './machine-source.ts'

/** What runs inside the machines. */
export interface RuntimeSource {
  runtimeFor(kind: 'opencode' | 'pi'): AgentRuntime
  /** The manifest's agents as configuration of the runtime; undefined when the repository's own files apply. */
  compileAgents(input: {
    readonly git: Repository
    readonly commit: string
    readonly manifest: ManifestFile | undefined
    readonly agentName: string
    /** Without the repository only the one agent is compiled. */
    readonly onlyAgent: boolean
  }): Promise<CompiledConfig | undefined>
  /** Where the platform's own skills lie inside a machine. */
  readonly skillsPath: string | undefined
}

export interface ModelSource {
  /** Models a project's sessions can use, the default first. */
  listModels(projectId: string): Promise<readonly RuntimeModel[]>
  /** What the models of a session have cost, from the gateway's own ledger. */
  readSessionCost(sessionId: string): Promise<SessionCost>
}

export interface TemplateSource {
  /** Throws what the caller should be told when no machine could come of it. */
  resolveTemplate(question: {
    readonly projectId: string
    readonly slug?: string | undefined
    readonly provider?: string | undefined
  }): Promise<{ readonly slug: string; readonly provider: string }>
}

export interface SessionLimits {
  /** Sessions of an account that may be active at once; null: as many as it likes. */
  readonly perAccount?: (accountId: string) => Promise<number | null>
  readonly perProject?: number
  readonly createsPerHour?: number
}

export interface SessionsOptions {
  readonly sandboxes: MachineSource
  readonly runtimes: RuntimeSource
  readonly models: ModelSource
  /** What machines are made from; without it only the templates of the manifest are known. */
  readonly templates?: TemplateSource
  readonly projects: Pick<Projects, 'findProject' | 'requireFeature'>
  readonly repositories: Pick<Repositories, 'findRepository' | 'openCurrent' | 'readDefaultManifest' | 'pathOf'>
  readonly secrets: Pick<Secrets, 'listDelivery' | 'readSecretValue'>
  readonly access: Pick<AccessCapability, 'ensureAgentIdentity' | 'isEntitled'>
  /** Asked about agents on behalf of callers that come by the proxy. */
  readonly refusal: Gate['refusal']
  readonly tokens: Tokens
  readonly audit: Pick<Audit, 'readForward' | 'readLog'>
  readonly publicUrl: () => string
  readonly limits?: SessionLimits
  readonly onStop: OnStop
}

export interface Parts extends SessionsOptions {
  readonly kernel: Kernel
  readonly live: LiveSessions
  readonly tails: LogTails
  /** This server among several on one database, by its data directory. */
  readonly nodeId: string
  readonly signOfLife: SignOfLife
}
