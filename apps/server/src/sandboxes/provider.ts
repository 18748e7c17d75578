import type { OnReadOpts } from 'node:net'
import type { Duplex } from 'node:stream'
import type { PartHealth } from '../kernel/capability.ts'

/** What a provider can do; the platform asks before it promises. */
export interface ProviderCapabilities {
  /** Runs templates that name an image or a Dockerfile; without it only the default template runs. */
  readonly images: boolean
  readonly pause: boolean
  /** Hard limits on memory and processes hold even against a hostile guest. */
  readonly limits: boolean
}

export interface MachineResources {
  readonly cpu: number
  readonly memoryGb: number
  readonly diskGb: number
}

/** Everything a machine is made from. Its disk outlives its processes: stop keeps it, destroy removes it. */
export interface MachineSpec {
  /** The provider's own name for it, chosen by the platform: lower-case letters and digits, unique for ever. */
  readonly externalId: string
  readonly projectId: string
  readonly resources: MachineResources
  /** Content-addressed name of the built image; undefined for the default template. */
  readonly image: string | undefined
  /** A shell command of the template's, run beside the daemon at every start; only with an image. */
  readonly entrypoint?: string | undefined
  /** A checkout to start the workspace from; the daemon clones by itself when there is none. */
  readonly workspace: WorkspaceSource | undefined
  /** The user on the host that the machine's processes run as; undefined where the provider keeps users apart itself. */
  readonly hostUid: number | undefined
}

export interface WorkspaceSource {
  readonly repositoryPath: string
  readonly commit: string
  readonly branch: string
}

/** What the daemon reads once at boot, from a file that it removes: the only way the service key enters a machine. */
export interface BootConfig {
  readonly serviceKey: string
  /** Started under the daemon; its HTTP port is served at every path that is not the daemon's own. */
  readonly runtime: RuntimeProcess | undefined
  /** What every process of the agent sees. */
  readonly env: Readonly<Record<string, string>>
  /** Written before the runtime starts; paths are absolute in the machine. */
  readonly files: readonly BootFile[]
  readonly repository: BootRepository | undefined
}

export interface RuntimeProcess {
  readonly kind: 'opencode' | 'pi'
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly port: number
  /** The runtime is ready when a line of its output contains this. */
  readonly readyLine: string
  /**
   * Run in the workspace before a runtime that waited in the warm pool takes the session over. Undefined: this session
   * needs a runtime of its own from the start.
   */
  readonly settle?: readonly string[]
  /** Asked for once the workspace is there, so that the runtime has loaded it when somebody comes. */
  readonly wakePath?: string
}

/** A runtime that runs before its machine has an owner, and learns the environment of its session later. */
export interface WarmRuntime {
  readonly process: RuntimeProcess
  readonly files: readonly BootFile[]
  /** Asked for when it is ready, so that it loads what sessions need; it says so with a line of its output. */
  readonly warmUpPath: string
  readonly warmLine: string
  /** Said when it has taken the environment that came through its input. */
  readonly takenLine: string
}

export interface WarmInput {
  readonly runtime: WarmRuntime | undefined
  /** Told once when the machine ends by itself before it has an owner. */
  onExit(reason: string): void
  /** Nobody will want it any more: one that is still on its way is ended, and the call rejects. */
  readonly signal: AbortSignal
}

export interface BootFile {
  readonly path: string
  readonly content: string
  readonly mode?: number
}

export interface BootRepository {
  readonly url: string
  readonly branch: string
  /** Where the branch starts when the remote does not have it yet. */
  readonly baseRef: string
  readonly authorName: string
  readonly authorEmail: string
}

export interface MachineState {
  readonly externalId: string
  readonly status: 'running' | 'paused' | 'stopped'
}

export interface MachineStats {
  readonly memoryBytes: number
  readonly cpuSeconds: number
  readonly processes: number
  readonly diskBytes: number
}

export interface ExecRequest {
  readonly argv: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly input?: string
  readonly timeoutMs?: number
  readonly maxOutputBytes?: number
  /**
   * Needs nothing that the daemon knows: may run while the machine still starts, in its plain environment. Without an
   * `input` only.
   */
  readonly early?: boolean
}

export interface ExecResult {
  readonly exitCode: number | undefined
  readonly signal: string | undefined
  readonly stdout: string
  readonly stderr: string
  readonly truncated: boolean
}

/**
 * Where machines come from. Every call is safe to repeat after a crash: creating a machine that exists, starting one
 * that runs, stopping one that is stopped and destroying one that is gone all succeed and change nothing.
 */
export interface SandboxProvider {
  readonly id: string
  readonly capabilities: ProviderCapabilities
  /** Never throws; `missing` names the fix. */
  check(): Promise<PartHealth>
  create(spec: MachineSpec): Promise<void>
  /** Resolves when the daemon answers on its socket. `onExit` is told once when the machine ends by itself. */
  start(externalId: string, boot: BootConfig, onExit: (reason: string) => void): Promise<void>
  /** Whether it waits for its owner (see `warm`): then its start needs nothing of the host that could be missing. */
  isWarm?(externalId: string): boolean
  /**
   * Starts a machine that nobody owns, with its daemon and the given runtime, up to where both wait: the next `start`
   * hands its boot configuration over and opens its way out. Only providers that have this can have a warm pool.
   */
  warm?(externalId: string, input: WarmInput): Promise<void>
  /**
   * A connection to the daemon's own HTTP server (port 8000 of the machine). What comes is handed to `onread`, when that
   * is given, and not to the stream.
   */
  connect(externalId: string, onread?: OnReadOpts): Promise<Duplex>
  /**
   * A connection to a port of the machine that no process inside carries; undefined where there can be none, or not
   * yet, and the way is the daemon's tunnel. Rejects with `PortRefused` where nothing listens.
   */
  dialPort?(externalId: string, port: number, onread: OnReadOpts): Promise<Duplex | undefined>
  exec(externalId: string, request: ExecRequest): Promise<ExecResult>
  pause(externalId: string): Promise<void>
  resume(externalId: string): Promise<void>
  stop(externalId: string): Promise<void>
  destroy(externalId: string): Promise<void>
  list(): Promise<readonly MachineState[]>
  stats(externalId: string): Promise<MachineStats | undefined>
  /** Once, before anything else: ends whatever a killed platform left running. */
  reap?(): Promise<void>
  /** What the default template is built from; without one it runs on the host's own files and needs no build. */
  readonly baseImage?: string
  /** Whether an image is there. Throws when the provider cannot say. */
  hasImage?(name: string): Promise<boolean>
  /** Forgets an image; true when there was one. Machines that were made from it keep it. */
  removeImage?(name: string): Promise<boolean>
  /** Makes what a template needs (an image, a base folder) and reports each line; resolves with the image's name. */
  build?(input: BuildInput, onLine: (line: string) => void, signal: AbortSignal): Promise<string>
  close(): Promise<void>
}

export interface BuildInput {
  readonly name: string
  readonly image: string | undefined
  /** Dockerfile text and the tarball of its context. */
  readonly dockerfile: { readonly text: string; readonly path: string; readonly contextTarPath: string } | undefined
  /** Uses nothing of earlier builds. */
  readonly anew: boolean
}
