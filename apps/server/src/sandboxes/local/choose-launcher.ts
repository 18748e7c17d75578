import type { LauncherKind } from './launcher.ts'
import { perlCommand } from './perl-launcher.ts'
import { runProgram } from './run-program.ts'

/** Found out by doing it: without input it ends at once, well where Perl is there and knows this host's calls. */
export async function chooseLauncher(): Promise<LauncherKind> {
  const [command = '', ...args] = perlCommand(false)
  const { code } = await runProgram(command, args)
  return code === 0 ? 'perl' : 'shell'
}
