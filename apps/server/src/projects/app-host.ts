import type { RemoteUrl } from '../git/index.ts'
import type { Call } from '../kernel/http/index.ts'

type Caller = Pick<Call, 'accountId' | 'principal' | 'can'>

/** A host at which an app of this instance, once installed, reaches repositories without anybody's token. */
export interface AppHost {
  readonly provider: string
  holds(remote: RemoteUrl): boolean
  /** Throws 409 `installation_required` when no installation of the account reaches it. */
  findRepository(
    caller: Caller,
    wanted: { readonly owner: string; readonly name: string; readonly installationId: string | undefined },
  ): Promise<AppRepository>
  createRepository(caller: Caller, wanted: NewAppRepository): Promise<AppRepository>
  deleteRepository(repository: AppRepository): Promise<void>
}

export interface AppRepository {
  /** Its https address. */
  readonly url: string
  readonly installationId: string
  /** The host's own id for it, which outlives a new name. */
  readonly externalId: string
  readonly defaultBranch: string
  readonly isPrivate: boolean
  /** For git, for less than an hour. Never stored. */
  readonly token: string
}

export interface NewAppRepository {
  readonly installationId: string
  readonly name: string
  readonly isPrivate: boolean
  readonly description: string | undefined
}
