import { drive } from '../drive-runtime.ts'
import { type MachinePaths, machinePaths } from '../machine-paths.ts'
import type { AgentRuntime } from '../runtime.ts'
import { preparePi } from './prepare.ts'

/** The second runtime. It asks no permissions: what an agent may not do outright, it cannot do at all. */
export function createPi(paths: MachinePaths = machinePaths): AgentRuntime {
  return {
    kind: 'pi',
    capabilities: {
      questions: true,
      permissions: false,
      revert: false,
      commands: false,
      subtasks: false,
      resume: true,
    },
    prepare: (input) => preparePi(input, paths),
    ...drive,
  }
}
