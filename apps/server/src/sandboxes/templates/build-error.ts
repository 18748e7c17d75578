import { sayError } from '../../kernel/log/index.ts'
import type { BuildRow } from './store/builds.ts'

export type BuildErrorCategory = NonNullable<BuildRow['errorCategory']>

/** Why a build failed. The message is for people; the category says who can do something about it. */
export class BuildError extends Error {
  override readonly name = 'BuildError'
  readonly category: BuildErrorCategory

  constructor(category: BuildErrorCategory, message: string, options?: ErrorOptions) {
    super(message, options)
    this.category = category
  }

  static isInstance(value: unknown): value is BuildError {
    return value instanceof Error && value.name === 'BuildError'
  }
}

/** An agent can change what is in the repository, and nothing else. */
const inRepository: readonly BuildErrorCategory[] = ['dockerfile', 'layer', 'runtime']

export function isFixableByAgent(category: BuildErrorCategory | null): boolean {
  return category !== null && inRepository.includes(category)
}

/** Another attempt may succeed although nothing was changed. */
export function isWorthRetrying(category: BuildErrorCategory): boolean {
  return category === 'provider' || category === 'tunnel'
}

const patterns: readonly [RegExp, BuildErrorCategory][] = [
  [/no space left|quota|disk full|toomanyrequests|rate limit/i, 'quota'],
  [/timed? ?out|deadline exceeded/i, 'timeout'],
  [/econnrefused|enoent.*sock|cannot connect to the docker daemon|connection refused/i, 'provider'],
  [/econnreset|epipe|socket hang up|tls|proxy|no such host|temporary failure in name resolution|dial tcp/i, 'tunnel'],
  [
    /parse error|unknown instruction|no FROM statement|unknown flag|dockerfile|failed to process|invalid reference format/i,
    'dockerfile',
  ],
  [
    /exit(?:ed|ing)?(?: with)?(?: status| code)?:? ?\d+|returned a non-zero code|manifest unknown|not found|pull access denied|initializing source/i,
    'layer',
  ],
]

/** For errors of engines, which say what happened in words alone. */
export function classifyMessage(message: string): BuildErrorCategory {
  return patterns.find(([pattern]) => pattern.test(message))?.[1] ?? 'unknown'
}

export function toBuildError(error: unknown): BuildError {
  if (BuildError.isInstance(error)) return error
  const message = sayError(error)
  return new BuildError(classifyMessage(message), message, { cause: error })
}
