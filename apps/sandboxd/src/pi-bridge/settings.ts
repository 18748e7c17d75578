import { readFileSync } from 'node:fs'

/** What the platform tells the bridge, as a file in the machine. Nothing in it is secret. */
export interface BridgeSettings {
  readonly port: number
  readonly workspace: string
  /** A folder of programs that pi uses. */
  readonly tools: string
  /** Where conversations are kept. */
  readonly stateFolder: string
  /** Starts pi in RPC mode; the folder of its own session files is added. */
  readonly command: readonly string[]
  readonly agent: { readonly name: string; readonly description?: string; readonly prompt?: string }
  readonly model: ModelChoice
  readonly models: readonly BridgeModel[]
}

export interface ModelChoice {
  readonly providerID: string
  readonly modelID: string
}

export interface BridgeModel {
  readonly id: string
  readonly name: string
  readonly contextTokens: number
  readonly outputTokens: number
  readonly inputPrice: number
  readonly outputPrice: number
}

export function readSettings(path: string): BridgeSettings {
  // Written by the platform that starts this program; its shape is the platform's own.
  return JSON.parse(readFileSync(path, 'utf8')) as BridgeSettings
}
