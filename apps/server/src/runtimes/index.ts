import { fileURLToPath } from 'node:url'
import type { Capability, HealthCheck } from '../kernel/capability.ts'
import { problem } from '../kernel/http/index.ts'
import { findPackageRoot } from '../kernel/package-root.ts'
import { type CompileInput, compileAgents } from './compile/compile-agents.ts'
import { findRipgrep } from './find-program.ts'
import { machinePaths, skillsMachinePath } from './machine-paths.ts'
import { findOpencode, installAdvice, opencodePackage } from './opencode/find-opencode.ts'
import { createOpencode } from './opencode/index.ts'
import { findPi, piInstallAdvice } from './pi/find-pi.ts'
import { createPi } from './pi/index.ts'
import type { AgentRuntime, CompiledConfig, WarmRuntime } from './runtime.ts'

export type { CompileInput } from './compile/compile-agents.ts'
export { describeSecrets, type SecretCapability } from './describe-secrets.ts'
export { RuntimeRequestError } from './request-runtime.ts'
export type * from './runtime.ts'

/** Something of the host that every machine sees, read-only. */
export interface RuntimeFile {
  readonly hostPath: string
  readonly machinePath: string
  /** A folder that an upgrade writes to: machines get a copy of it. */
  readonly isBuiltInPlace?: boolean
}

export interface Runtimes extends Capability {
  /** Refuses a runtime that is not installed, with the fix. */
  runtimeFor(kind: AgentRuntime['kind']): AgentRuntime
  /** The manifest's agents as configuration of the runtime; undefined when the repository's own files apply. */
  compileAgents(input: CompileInput): Promise<CompiledConfig | undefined>
  /** What machines bind; empty of what is not installed. */
  runtimeFiles(): readonly RuntimeFile[]
  /** The runtime that waits in machines of the warm pool: the usual one, when it is installed. */
  warmRuntime(): WarmRuntime | undefined
  /** Where the platform's own skills are, as a machine sees them. */
  readonly skillsPath: string
}

/** The agent runtimes of this installation. */
export function createRuntimes(): Runtimes {
  const runtimes = { opencode: createOpencode(), pi: createPi() }
  return {
    routes: [],
    checks: [opencodeCheck, piCheck],
    skillsPath: skillsMachinePath,
    compileAgents,
    runtimeFor(kind) {
      if (kind === 'opencode' && findOpencode() === undefined) {
        throw problem('feature_not_supported', { say: `${opencodePackage()} is not installed.`, next: installAdvice })
      }
      if (kind === 'pi' && findPi() === undefined) {
        throw problem('feature_not_supported', { say: 'The runtime pi is not installed.', next: piInstallAdvice })
      }
      return runtimes[kind]
    },
    runtimeFiles: listRuntimeFiles,
    warmRuntime: () => (findOpencode() === undefined ? undefined : runtimes.opencode.prepareWarm?.()),
  }
}

function listRuntimeFiles(): RuntimeFile[] {
  const opencode = findOpencode()
  const ripgrep = findRipgrep()
  const pi = findPi()
  return [
    {
      hostPath: fileURLToPath(new URL('skills', findPackageRoot())),
      machinePath: skillsMachinePath,
      isBuiltInPlace: true,
    },
    ...(opencode ? [{ hostPath: opencode.path, machinePath: machinePaths.opencode }] : []),
    ...(ripgrep ? [{ hostPath: ripgrep.path, machinePath: `${machinePaths.tools}/rg` }] : []),
    ...(pi ? [{ hostPath: pi.folder, machinePath: machinePaths.pi }] : []),
  ]
}

const opencodeCheck: HealthCheck = {
  name: 'opencode',
  required: false,
  read: async () => {
    const program = findOpencode()
    if (program) return { status: 'ok', detail: `opencode ${program.version}` }
    return { status: 'missing', detail: `${opencodePackage()} is not installed`, next: installAdvice }
  },
}

/** Nobody needs it who does not ask for it, so its absence is no fault. */
const piCheck: HealthCheck = {
  name: 'pi',
  required: false,
  read: async () => {
    const pi = findPi()
    if (pi) return { status: 'ok', detail: `pi ${pi.version}` }
    return { status: 'ok', detail: 'not installed; only agents with `runtime: pi` need it', next: piInstallAdvice }
  },
}
