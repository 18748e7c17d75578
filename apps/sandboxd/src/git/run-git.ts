import { type CommandOptions, type CommandResult, runCommand } from '../exec/run-command.ts'

/** Git as the agent, without its hooks, its pager or any question. */
export function runGit(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const env = { ...options.env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C.UTF-8' }
  const quiet = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false']
  return runCommand(['git', '--no-pager', ...quiet, ...args], { ...options, env })
}
