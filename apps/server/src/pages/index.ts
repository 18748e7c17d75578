import { operations } from '@svc/contract'
import type { PageSignIn } from '../identity/index.ts'
import type { Capability } from '../kernel/capability.ts'
import { Answer, handle } from '../kernel/http/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Mail } from '../mail/index.ts'
import { accessTokenRoute } from './access-token.ts'
import { consentPages } from './consent-pages.ts'
import { invitePages } from './invite-pages.ts'
import { mailboxPage } from './mailbox-page.ts'
import type { ConsentService, InviteService } from './services.ts'
import { signInPages } from './sign-in-pages.ts'
import { stylesheet } from './stylesheet.ts'

export type { ConsentService, InviteService } from './services.ts'

export interface PagesOptions {
  readonly signIn: PageSignIn
  readonly mail: Mail
  readonly publicUrl: () => string
  /** Absent where nobody invites: the page says so. */
  readonly invites?: () => InviteService | undefined
  readonly consents?: () => ConsentService | undefined
}

/** Plain pages for a browser without script: every link the platform sends leads to one of them. */
export function createPages(kernel: Kernel, options: PagesOptions): Capability {
  const { signIn, publicUrl, mail, invites = () => undefined, consents = () => undefined } = options
  const parts = { kernel, signIn, publicUrl }
  const css = new Answer(stylesheet, { headers: { 'cache-control': 'public, max-age=300' } })
  return {
    routes: [
      handle(operations.pages.stylesheet, () => css),
      accessTokenRoute(parts),
      ...signInPages(parts),
      ...invitePages(parts, invites),
      ...consentPages(parts, consents),
      mailboxPage(parts, mail),
    ],
  }
}
