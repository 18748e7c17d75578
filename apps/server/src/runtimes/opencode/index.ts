import { drive } from '../drive-runtime.ts'
import { type MachinePaths, machinePaths } from '../machine-paths.ts'
import type { AgentRuntime } from '../runtime.ts'
import { prepareOpencode, prepareWarmOpencode } from './prepare.ts'

/** The first runtime: everything the contract's dialect has, since the dialect is its own. */
export function createOpencode(paths: MachinePaths = machinePaths): AgentRuntime {
  return {
    kind: 'opencode',
    capabilities: {
      questions: true,
      permissions: true,
      revert: true,
      commands: true,
      subtasks: true,
      resume: true,
    },
    prepare: (input) => prepareOpencode(input, paths),
    prepareWarm: () => prepareWarmOpencode(paths),
    ...drive,
  }
}
