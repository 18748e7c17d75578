/** Where things are inside a machine. Tests run a runtime on the bare host and give other places. */
export interface MachinePaths {
  readonly home: string
  readonly workspace: string
  readonly tmp: string
  readonly node: string
  readonly opencode: string
  readonly piBridge: string
  readonly pi: string
  /** Programs that the runtimes use; agents find them too. */
  readonly tools: string
  readonly port: number
}

export const machinePaths: MachinePaths = {
  home: '/home/agent',
  workspace: '/workspace',
  tmp: '/tmp',
  node: '/opt/svc/node/bin/node',
  opencode: '/opt/svc/runtimes/opencode/bin/opencode',
  piBridge: '/opt/svc/sandboxd/pi-bridge.mjs',
  pi: '/opt/svc/runtimes/pi',
  tools: '/opt/svc/runtimes/bin',
  port: 4096,
}

export const skillsMachinePath = '/opt/svc/skills'
export const defaultConfigDir = '.svc/opencode'
