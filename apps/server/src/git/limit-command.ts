export interface ProcessLimits {
  /** What the process may hold in memory. Enforced where the system can (Linux). */
  readonly memoryBytes?: number
  /** The largest file the process may write. */
  readonly fileBytes?: number
}

/** The command that runs `git` with these limits on it and on every process it starts. */
export function limitCommand(limits: ProcessLimits, args: readonly string[]): [string, string[]] {
  const { memoryBytes, fileBytes } = limits
  if (memoryBytes === undefined && fileBytes === undefined) return ['git', [...args]]
  const script = [
    // RLIMIT_DATA: a pack that unfolds to more than this ends git, not the machine.
    memoryBytes === undefined ? '' : `ulimit -d ${Math.floor(memoryBytes / 1024)} 2>/dev/null`,
    fileBytes === undefined ? '' : `ulimit -f ${Math.ceil(fileBytes / 512)} 2>/dev/null`,
    'exec git "$@"',
  ]
  return ['/bin/sh', ['-c', script.filter((line) => line !== '').join('; '), 'sh', ...args]]
}
