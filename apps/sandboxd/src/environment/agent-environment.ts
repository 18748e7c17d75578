import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../settings.ts'
import { baseEnvironment } from './base-environment.ts'

type Variables = Readonly<Record<string, string>>

/** What the agent's processes see, and what changes of it while they run. */
export interface AgentEnvironment {
  /** For a process that starts now. */
  current(): Record<string, string>
  /** For the runtime, which may get more. */
  forRuntime(): Record<string, string>
  readonly names: readonly string[]
  /** Replaces the delivered variables. Shells that start from now on see them, and no longer see those left out. */
  deliver(env: Variables): { changed: boolean; exported: number; managed: number }
  /** Whether the runtime has to start again to see them. */
  deliverToRuntime(env: Variables): boolean
}

export function createAgentEnvironment(
  settings: Settings,
  bootEnv: Variables,
  inherited: NodeJS.ProcessEnv,
): AgentEnvironment {
  const base = baseEnvironment(settings, inherited)
  const shellFile = join(settings.runDir, 'agent-env.sh')
  // The secrets of the boot are delivered variables like those that come later: they too can be taken back.
  const bootNames = new Set(readNames(bootEnv.SVC_PROJECT_SECRET_NAMES))
  const fixed = pick(bootEnv, (name) => !bootNames.has(name))
  let delivered = pick(bootEnv, (name) => bootNames.has(name))
  let runtimeOnly: Variables = {}
  /** Every name ever delivered: a long-lived parent may still hold the value of one that was taken back. */
  const everDelivered = new Set(Object.keys(delivered))

  const writeShellFile = () => {
    const removed = [...everDelivered].filter((name) => !(name in delivered))
    const lines = [
      ...removed.map((name) => (name in fixed ? exportLine(name, fixed[name] ?? '') : `unset ${name}`)),
      ...Object.entries(delivered).map(([name, value]) => exportLine(name, value)),
    ]
    // Renamed into place: a shell that starts this moment reads the old file or the new one.
    writeFileSync(`${shellFile}.new`, `${lines.join('\n')}\n`, { mode: 0o600 })
    renameSync(`${shellFile}.new`, shellFile)
  }
  writeShellFile()

  // Bash reads BASH_ENV in every non-interactive shell, which is how an agent runs its commands.
  const current = () => ({ ...base, ...fixed, ...delivered, BASH_ENV: shellFile })
  return {
    current,
    forRuntime: () => ({ ...current(), ...runtimeOnly }),
    get names() {
      return Object.keys(delivered).sort()
    },
    deliver(env) {
      const changed = !isSame(delivered, env)
      if (changed) {
        for (const name of Object.keys(env)) everDelivered.add(name)
        delivered = { ...env }
        writeShellFile()
      }
      return { changed, exported: Object.keys(env).length, managed: everDelivered.size }
    },
    deliverToRuntime(env) {
      const changed = !isSame(runtimeOnly, env)
      runtimeOnly = { ...env }
      return changed
    },
  }
}

const exportLine = (name: string, value: string) => `export ${name}='${value.replaceAll("'", `'\\''`)}'`

/** A JSON list, or names between commas or spaces. */
const readNames = (text: string | undefined): string[] => text?.match(/[A-Za-z_][A-Za-z0-9_]*/g) ?? []

const pick = (variables: Variables, isPicked: (name: string) => boolean): Variables =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => isPicked(name)))

function isSame(one: Variables, other: Variables): boolean {
  const names = Object.keys(one)
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
}
