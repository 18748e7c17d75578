import { createRequire } from 'node:module'
import { join } from 'node:path'
import { refuse } from '../http/reply.ts'

/** The part of `node-pty` that is used here. */
export interface PtyModule {
  spawn(
    file: string,
    args: string[],
    options: { name: string; cols: number; rows: number; cwd: string; env: Record<string, string> },
  ): PtyProcess
}

export interface PtyProcess {
  readonly pid: number
  onData(listener: (text: string) => void): void
  onExit(listener: (exit: { exitCode: number; signal?: number }) => void): void
  write(text: string): void
  resize(cols: number, rows: number): void
  pause(): void
  resume(): void
  kill(signal?: string): void
}

let loaded: PtyModule | undefined

/** Loaded at the first terminal. Where the native part does not fit this machine everything but terminals works. */
export function loadPty(installDir: string): PtyModule {
  if (loaded) return loaded
  try {
    const found: PtyModule = createRequire(join(installDir, 'sandboxd.mjs'))('@lydell/node-pty')
    loaded = found
    return found
  } catch (error) {
    console.error('sandboxd: terminals are not available:', String(error))
    throw refuse(
      501,
      'pty_unavailable',
      `Terminals are not available here: their native part has no build for ${process.platform}-${process.arch}.`,
    )
  }
}
