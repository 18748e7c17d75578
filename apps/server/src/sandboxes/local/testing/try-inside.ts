import type { SandboxProvider } from '../../provider.ts'

export interface Outcome {
  readonly code: number | undefined
  readonly output: string
}

/** Runs a shell script inside, as an agent would. */
export async function tryInside(
  provider: SandboxProvider,
  externalId: string,
  script: string,
  timeoutMs = 60_000,
): Promise<Outcome> {
  const { exitCode, stdout, stderr } = await provider.exec(externalId, { argv: ['sh', '-c', script], timeoutMs })
  return { code: exitCode, output: `${stdout}${stderr}`.trim() }
}

/**
 * A program that makes calls to the kernel with nothing in between, and prints for each the number of the error, or
 * `ok`. Arguments are zero: a filter looks at the call before anybody looks at them.
 */
export function makeCalls(calls: readonly (readonly number[])[]): string {
  const lines = calls.map((call) => {
    const args = [...call, 0, 0, 0, 0, 0, 0].slice(0, 7).join(', ')
    return `$! = 0; print syscall(${args}) == -1 ? $! + 0 : "ok", "\\n";`
  })
  return `perl -e '${lines.join(' ')}'`
}
