import { operations } from '@svc/contract'
import { type Handled, problem } from '../kernel/http/index.ts'
import { bindForm, bindPage } from './bind-page.ts'
import { html } from './html.ts'
import { hidden, type Page } from './layout.ts'
import { limitLike, type PageParts } from './page-request.ts'
import type { InviteService } from './services.ts'

const { pages, accountInvites } = operations

/** An invitation: sign in first, then accept or decline. */
export function invitePages(parts: PageParts, invites: () => InviteService | undefined): Handled[] {
  const service = () => {
    const found = invites()
    if (!found) throw problem('not_found', { say: 'This instance has no invitations.' })
    return found
  }
  return [
    bindPage(parts, pages.invite, async ({ params: { inviteId } }, page) => {
      if (!page.principal) return page.show(askToSignIn(`/invite/${inviteId}`))
      const invite = await service().describe(inviteId, page.principal)
      return page.show(inviteView(page.csrf, inviteId, invite, page.principal.email ?? ''))
    }),
    bindForm(parts, pages.answerInvite, {
      async run({ params: { inviteId }, body, request }, page) {
        if (!page.principal) return page.go(`/sign-in?next=${encodeURIComponent(`/invite/${inviteId}`)}`)
        if (body.decision === 'accept') {
          await limitLike(parts.kernel, accountInvites.accept, request.ip)
          await service().accept(inviteId, page.principal)
          return page.show({
            title: 'Welcome',
            body: html`<p>You are in.</p><p><a href="/">Go to the start page</a></p>`,
          })
        }
        if (body.decision !== 'decline') throw problem('not_found')
        await service().decline(inviteId, page.principal)
        return page.show({ title: 'Declined', body: html`<p>The invitation is gone. You can close this page.</p>` })
      },
    }),
  ]
}

export function askToSignIn(next: string): Page {
  const query = `?next=${encodeURIComponent(next)}`
  return {
    title: 'Sign in to go on',
    body: html`<p>This page is for one person. Sign in, or sign up with the address it was sent to.</p>
<a class="button" href="/sign-in${query}">Sign in</a>
<p class="aside"><a href="/sign-up${query}">Sign up</a></p>`,
  }
}

type Invite = Awaited<ReturnType<InviteService['describe']>>

function inviteView(csrf: string, inviteId: string, invite: Invite, email: string): Page {
  if (!invite.email_matches_caller) {
    return {
      title: 'This invitation is for somebody else',
      body: html`<p>You are signed in as <strong>${email}</strong>, which is not the address it was sent to.</p>
<form method="post" action="/sign-out">${hidden('csrf', csrf)}<button type="submit">Sign out and use another</button></form>`,
    }
  }
  if (invite.accepted_at !== null)
    return { title: 'Already accepted', body: html`<p><a href="/">Go to the start page</a></p>` }
  if (invite.expired) {
    return {
      title: 'This invitation has expired',
      body: html`<p>Ask ${invite.inviter_email ?? 'the sender'} to send it again.</p>`,
    }
  }
  return {
    title: `Join ${invite.account_name ?? 'the account'}`,
    body: html`<p>${invite.inviter_email ?? 'Somebody'} invites you as <strong>${invite.initial_role ?? 'member'}</strong>.</p>
<form method="post" action="/invite/${inviteId}">${hidden('csrf', csrf)}
<button type="submit" name="decision" value="accept">Accept</button>
<button type="submit" name="decision" value="decline" class="plain">Decline</button></form>`,
  }
}
