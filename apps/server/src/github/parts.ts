import type { Call } from '../kernel/http/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Projects } from '../projects/index.ts'
import type { GithubApi } from './github-api.ts'

export interface GithubOptions {
  /** Projects come later than this capability, which they reach repositories through. */
  readonly projects: () => Pick<Projects, 'linkRemote'>
}

/** The app as it works: its API, and tokens of its installations. */
export interface App {
  readonly api: GithubApi
  /** `github.com/apps/<slug>` */
  readonly pageUrl: string
  /** A token that acts as the installation; with a repository's number, for that one only. Never leaves this process. */
  installationToken(installationId: string, repositoryId?: string): Promise<string>
}

export interface Parts extends GithubOptions {
  readonly kernel: Kernel
  readonly webUrl: string
  /** Undefined where the operator has set up no app. */
  readonly app: App | undefined
}

/** Whoever asks, and what they may do in the account. */
export type Caller = Pick<Call, 'accountId' | 'principal' | 'can'>
