import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** What the platform hands over, once, in a file that this daemon removes: the only way the service key comes in. */
export interface BootConfig {
  readonly serviceKey: string
  readonly runtime: RuntimeProcess | undefined
  readonly env: Readonly<Record<string, string>>
  readonly files: readonly BootFile[]
  readonly repository: BootRepository | undefined
}

export interface RuntimeProcess {
  readonly kind: string
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly port: number
  readonly readyLine: string
  /** Run in the workspace before a runtime that waited takes the session over. Undefined: a new one is started. */
  readonly settle?: readonly string[] | undefined
  /** Asked for once the workspace is there, so that the runtime has loaded it when somebody comes. */
  readonly wakePath?: string | undefined
}

/** A runtime that runs before the machine has an owner, and learns the environment of its session later. */
export interface WarmRuntime {
  readonly process: RuntimeProcess
  readonly files: readonly BootFile[]
  /** Asked for when it is ready, so that it loads what sessions need; it says so with a line. */
  readonly warmUpPath: string
  readonly warmLine: string
  /** Said when it has taken the environment that came through its input. */
  readonly takenLine: string
}

export interface BootFile {
  readonly path: string
  readonly content: string
  readonly mode?: number | undefined
}

export interface BootRepository {
  readonly url: string
  readonly branch: string
  readonly baseRef: string
  readonly authorName: string
  readonly authorEmail: string
}

/** Reads and removes `boot.json`; undefined when there is none, and then no route but health answers. */
export function takeBootConfig(runDir: string): BootConfig | undefined {
  const path = join(runDir, 'boot.json')
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  rmSync(path)
  return readBootConfig(text)
}

export const readBootConfig = (text: string): BootConfig => parseBootConfig(parseJson(text))

/** Undefined for a machine that waits without a runtime. */
export function readWarmRuntime(text: string): WarmRuntime | undefined {
  const value = parseJson(text)
  if (value === null) return undefined
  const warm = asRecord(value, 'warm')
  return {
    process: parseRuntime(asRecord(warm.process, 'warm.process')),
    files: parseFiles(warm.files),
    warmUpPath: asText(warm.warmUpPath, 'warm.warmUpPath'),
    warmLine: asText(warm.warmLine, 'warm.warmLine'),
    takenLine: asText(warm.takenLine, 'warm.takenLine'),
  }
}

/** The parser's own words would quote the file, and with it the key. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('boot.json is not JSON.')
  }
}

function parseBootConfig(value: unknown): BootConfig {
  const boot = asRecord(value, 'boot.json')
  return {
    serviceKey: asText(boot.serviceKey, 'serviceKey'),
    runtime: boot.runtime ? parseRuntime(asRecord(boot.runtime, 'runtime')) : undefined,
    env: asTexts(boot.env ?? {}, 'env'),
    files: parseFiles(boot.files),
    repository: boot.repository ? parseRepository(asRecord(boot.repository, 'repository')) : undefined,
  }
}

const parseRuntime = (runtime: Record<string, unknown>): RuntimeProcess => ({
  kind: asText(runtime.kind, 'runtime.kind'),
  argv: asWords(runtime.argv, 'runtime.argv'),
  env: asTexts(runtime.env ?? {}, 'runtime.env'),
  port: asNumber(runtime.port, 'runtime.port'),
  readyLine: asText(runtime.readyLine, 'runtime.readyLine'),
  settle: runtime.settle === undefined ? undefined : asWords(runtime.settle, 'runtime.settle'),
  wakePath: runtime.wakePath === undefined ? undefined : asText(runtime.wakePath, 'runtime.wakePath'),
})

const parseFiles = (files: unknown): BootFile[] =>
  asList(files ?? [], 'files').map((file) => parseFile(asRecord(file, 'files')))

const parseFile = (file: Record<string, unknown>): BootFile => ({
  path: asText(file.path, 'files.path'),
  content: asText(file.content, 'files.content'),
  mode: file.mode === undefined ? undefined : asNumber(file.mode, 'files.mode'),
})

const parseRepository = (repository: Record<string, unknown>): BootRepository => ({
  url: asText(repository.url, 'repository.url'),
  branch: asText(repository.branch, 'repository.branch'),
  baseRef: asText(repository.baseRef, 'repository.baseRef'),
  authorName: asText(repository.authorName, 'repository.authorName'),
  authorEmail: asText(repository.authorEmail, 'repository.authorEmail'),
})

function asRecord(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed(name, 'an object')
  return { ...value }
}

function asList(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed(name, 'a list')
  return value
}

const asWords = (value: unknown, name: string) => asList(value, name).map((word) => asText(word, name))

function asText(value: unknown, name: string): string {
  if (typeof value !== 'string') throw malformed(name, 'a string')
  return value
}

function asNumber(value: unknown, name: string): number {
  if (typeof value !== 'number') throw malformed(name, 'a number')
  return value
}

function asTexts(value: unknown, name: string): Record<string, string> {
  const entries = Object.entries(asRecord(value, name))
  return Object.fromEntries(entries.map(([key, text]) => [key, asText(text, `${name}.${key}`)]))
}

const malformed = (name: string, expected: string) => new Error(`boot.json: ${name} must be ${expected}.`)
