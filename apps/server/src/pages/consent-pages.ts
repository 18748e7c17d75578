import { operations } from '@svc/contract'
import { type Handled, problem } from '../kernel/http/index.ts'
import { bindForm, bindPage } from './bind-page.ts'
import { html } from './html.ts'
import { askToSignIn } from './invite-pages.ts'
import { hidden, type Page } from './layout.ts'
import type { PageParts } from './page-request.ts'
import type { ConsentService } from './services.ts'

const { pages } = operations

/** What each scope lets an app do, in words. */
const meanings: Readonly<Record<string, string>> = {
  profile: 'See who you are',
  email: 'See your mail address',
  svc: 'Act as you on this whole instance',
}

export function consentPages(parts: PageParts, consents: () => ConsentService | undefined): Handled[] {
  const service = () => {
    const found = consents()
    if (!found) throw problem('not_found', { say: 'This instance has no apps to sign in to.' })
    return found
  }
  return [
    bindPage(parts, pages.consent, async ({ query: { request_id: requestId } }, page) => {
      if (!page.principal) return page.show(askToSignIn(`/oauth/consent?request_id=${encodeURIComponent(requestId)}`))
      const request = await service().describe(requestId, page.principal)
      const view = consentView(page.csrf, requestId, request, page.principal.email ?? '')
      return page.show(view, { formTargets: targetsOf(request.redirect_to) })
    }),
    bindForm(parts, pages.answerConsent, {
      async run({ body: { request_id: requestId, decision } }, page) {
        if (!page.principal) return page.go('/sign-in')
        const { redirect_uri: target } = await service().decide(requestId, decision === 'approve', page.principal)
        return page.go(target)
      },
    }),
  ]
}

/** A browser follows the redirect after the form only to where the page said it may end. */
function targetsOf(redirectTo: string): string[] {
  return URL.canParse(redirectTo) ? [new URL(redirectTo).origin] : []
}

type Request = Awaited<ReturnType<ConsentService['describe']>>

function consentView(csrf: string, requestId: string, request: Request, email: string): Page {
  const host = URL.canParse(request.redirect_to) ? new URL(request.redirect_to).host : ''
  return {
    title: `Let ${request.client_name} in?`,
    body: html`<p>You are signed in as <strong>${email}</strong>. This app would be able to:</p>
<ul>${request.scopes.map((scope) => html`<li>${meanings[scope] ?? scope}</li>`)}</ul>
<p class="hint">You go on to ${host}.</p>
<form method="post" action="/oauth/consent">${hidden('csrf', csrf)}${hidden('request_id', requestId)}
<button type="submit" name="decision" value="approve">Allow</button>
<button type="submit" name="decision" value="deny" class="plain">Do not allow</button></form>`,
  }
}
