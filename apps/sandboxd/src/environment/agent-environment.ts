import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../settings.ts'
import { baseEnvironment } from './base-environment.ts'

/** What the agent's processes see, and what changes of it while they run. */
export interface AgentEnvironment {
  /** For a process that starts now. */
  current(): Record<string, string>
  readonly revision: string | undefined
  readonly names: readonly string[]
  /** Replaces the delivered variables. Shells that start from now on see them, and no longer see those left out. */
  deliver(
    revision: string,
    env: Readonly<Record<string, string>>,
  ): { changed: boolean; exported: number; managed: number }
}

export function createAgentEnvironment(
  settings: Settings,
  bootEnv: Readonly<Record<string, string>>,
  inherited: NodeJS.ProcessEnv,
): AgentEnvironment {
  const base = baseEnvironment(settings, inherited)
  const shellFile = join(settings.runDir, 'agent-env.sh')
  /** Every name ever delivered: a long-lived parent may still hold the value of one that was taken back. */
  const everDelivered = new Set<string>()
  let delivered: Readonly<Record<string, string>> = {}
  let revision: string | undefined

  const writeShellFile = () => {
    const removed = [...everDelivered].filter((name) => !(name in delivered) && !(name in bootEnv))
    const restored = [...everDelivered].filter((name) => !(name in delivered) && name in bootEnv)
    const lines = [
      ...removed.map((name) => `unset ${name}`),
      ...restored.map((name) => `export ${name}=${quote(bootEnv[name] ?? '')}`),
      ...Object.entries(delivered).map(([name, value]) => `export ${name}=${quote(value)}`),
    ]
    // Renamed into place: a shell that starts this moment reads the old file or the new one.
    writeFileSync(`${shellFile}.new`, `${lines.join('\n')}\n`, { mode: 0o600 })
    renameSync(`${shellFile}.new`, shellFile)
  }
  writeShellFile()

  return {
    // Bash reads BASH_ENV in every non-interactive shell, which is how an agent runs its commands.
    current: () => ({ ...base, ...bootEnv, ...delivered, BASH_ENV: shellFile }),
    get revision() {
      return revision
    },
    get names() {
      return Object.keys(delivered).sort()
    },
    deliver(nextRevision, env) {
      const changed = !isSame(delivered, env)
      revision = nextRevision
      if (changed) {
        for (const name of Object.keys(env)) everDelivered.add(name)
        delivered = { ...env }
        writeShellFile()
      }
      return { changed, exported: Object.keys(env).length, managed: everDelivered.size }
    },
  }
}

const quote = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`

function isSame(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(one)
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
}
