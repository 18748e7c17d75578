import { z } from 'zod'
import type { Capability } from '../kernel/capability.ts'
import type { Tx } from '../kernel/database/index.ts'
import { defineJob, defineSchedule } from '../kernel/jobs/index.ts'
import type { Kernel, OnStop } from '../kernel/kernel.ts'
import type { Mail } from '../mail/index.ts'
import { type Authenticator, createAuthenticator } from './authenticate.ts'
import { cleanCodes } from './codes/store.ts'
import { readFirstRunToken, writeFirstRunFile } from './instance/first-run.ts'
import { createInstanceSettings, type InstanceSettingsStore } from './instance/settings.ts'
import { createTokens, type Tokens } from './mint-token.ts'
import { createPageSignIn, type PageSignIn } from './page-sign-in.ts'
import type { Parts } from './parts.ts'
import { createPasswords } from './passwords/hash-password.ts'
import { createRevocations, type Revocations } from './revocations.ts'
import { authRoutes } from './routes.ts'
import { cleanSessions } from './sessions/store.ts'
import { createProviders } from './social/create-providers.ts'
import { cleanSocialSignIns } from './social/store.ts'
import { createCredentialSources } from './tokens/sources.ts'

export type { Authenticator } from './authenticate.ts'
export { type CredentialSource, type FoundCredential, plainPrincipal } from './credential-source.ts'
export type {
  Entitlement,
  InstanceSettings,
  InstanceSettingsChange,
  InstanceSettingsStore,
} from './instance/settings.ts'
export type { NewToken, Tokens } from './mint-token.ts'
export type { PageSignIn } from './page-sign-in.ts'
export { type PreviewCredentials, previewCookie, readQueryToken } from './preview-credential.ts'
export { credentialRevoked, type Revocations } from './revocations.ts'
export type { TokenFilter, TokenKind, TokenRow } from './tokens/store.ts'

export interface Identity extends Capability, Authenticator, Tokens {
  readonly settings: InstanceSettingsStore
  /** Publishes that credentials ended, for whoever owns another family of them. */
  readonly revocations: Revocations
  /** The link for the first person, until it was used; also written to `first-run-link` in the data directory. */
  announceFirstRun(): Promise<string | undefined>
  readonly pageSignIn: PageSignIn
}

export interface IdentityOptions {
  readonly mail: Mail
  readonly publicUrl: () => string
  readonly hasPendingInvite: (email: string) => Promise<boolean>
  readonly endAppAccess: (tx: Tx, userId: string) => Promise<void>
  readonly onStop: OnStop
}

/** Who is calling: sign-in, sessions, tokens, and the settings of the instance. */
export function createIdentity(kernel: Kernel, options: IdentityOptions): Identity {
  const { mail, publicUrl, hasPendingInvite, endAppAccess } = options
  const settings = createInstanceSettings(kernel)
  const revocations = createRevocations(kernel)
  const tokens = createTokens(kernel, revocations)
  const parts: Parts = {
    kernel,
    mail,
    settings,
    revocations,
    revokeTokens: tokens.revokeTokens,
    endAppAccess,
    publicUrl,
    hasPendingInvite,
    passwords: createPasswords(),
  }
  const authenticator = createAuthenticator(kernel, revocations, createCredentialSources(kernel))
  options.onStop(() => authenticator.stop())
  const cleaning = createCleaning(kernel)
  const providers = createProviders(kernel.config.identityProviders, kernel.outbound)

  return {
    ...authenticator,
    ...tokens,
    routes: authRoutes(parts, providers),
    jobs: [cleaning],
    schedules: [defineSchedule({ name: 'identity.clean', cron: '23 * * * *', job: cleaning, payload: {} })],
    settings,
    revocations,
    pageSignIn: createPageSignIn(parts, providers),
    async announceFirstRun() {
      const token = await readFirstRunToken(parts)
      const link = token === undefined ? undefined : `${publicUrl()}/first-run?token=${token}`
      await writeFirstRunFile(kernel.config.dataDir, link)
      return link
    },
  }
}

function createCleaning({ database, clock }: Kernel) {
  return defineJob({
    name: 'identity.clean',
    payload: z.object({}),
    maxAttempts: 3,
    async run() {
      const now = clock.now()
      await cleanSessions(database.db, now)
      await cleanCodes(database.db, now)
      await cleanSocialSignIns(database.db, now)
    },
  })
}
