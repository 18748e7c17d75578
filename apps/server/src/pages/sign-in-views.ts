import { type Html, html } from './html.ts'
import { field, form, hidden, type Page } from './layout.ts'

type Trouble = Page['problem']

const emailField = (value: string) =>
  field({ name: 'email', label: 'Mail address', type: 'email', value, autocomplete: 'username' })
const newPasswordField = field({
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'new-password',
  hint: 'At least 8 characters. A few unrelated words are good.',
})
const codeField = field({ name: 'code', label: 'Code', autocomplete: 'one-time-code', numeric: true })

export function firstRunView(csrf: string, token: string, email: string, problem?: Trouble): Page {
  const fields = [hidden('token', token), emailField(email), newPasswordField]
  return {
    title: 'Become the owner',
    problem,
    body: html`<p>You are the first person here. Your account will run this instance.</p>
${form({ action: '/first-run', csrf, fields, submit: 'Create the owner' })}`,
  }
}

interface SignInView {
  readonly csrf: string
  readonly next: string
  readonly email: string
  readonly problem?: Trouble
  /** Where else people may sign in, by name. */
  readonly providers: readonly string[]
}

export function signInView({ csrf, next, email, problem, providers }: SignInView): Page {
  const password = field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password' })
  const byPassword = form({
    action: '/sign-in',
    csrf,
    fields: [hidden('next', next), emailField(email), password],
    submit: 'Sign in',
  })
  const byMail = html`<form method="post" action="/sign-in/email">
${hidden('csrf', csrf)}${hidden('next', next)}
<label for="mail">Mail address</label>
<input id="mail" name="email" type="email" value="${email}" required autocomplete="username">
<button type="submit" class="plain">Send me a link and a code</button>
</form>`
  return {
    title: 'Sign in',
    problem,
    body: html`${byPassword}
<p class="aside"><a href="/password/reset">Forgot the password?</a> · <a href="${withNext('/sign-up', next)}">Sign up</a></p>
${providers.length === 0 ? undefined : providerList(providers, next)}
<h2>Without a password</h2>
${byMail}`,
  }
}

/** Plain links: the way to another provider and back needs no script. */
function providerList(providers: readonly string[], next: string): Html {
  const links = providers.map(
    (name) =>
      html`<a class="button plain" href="${withNext(`/sign-in/with/${name}`, next)}">Go on with ${providerNames[name] ?? name}</a>`,
  )
  return html`<h2>With another account</h2>
${links}`
}

const providerNames: Readonly<Record<string, string>> = {
  apple: 'Apple',
  azure: 'Microsoft',
  bitbucket: 'Bitbucket',
  discord: 'Discord',
  github: 'GitHub',
  gitlab: 'GitLab',
  google: 'Google',
  keycloak: 'Keycloak',
  linkedin_oidc: 'LinkedIn',
  slack: 'Slack',
  workos: 'WorkOS',
}

/** Why somebody came back from another provider without being let in. Known reasons only: anybody can write the address. */
export function describeRefusal(error: string): NonNullable<Trouble> {
  return { say: refusals[error] ?? 'The sign-in was not finished.', next: 'Try again, or sign in another way.' }
}

const refusals: Readonly<Record<string, string>> = {
  access_denied: 'The other provider did not let you in.',
  auth_provider_unreachable: 'The other provider cannot be reached.',
  email_not_verified: 'The other provider has not verified your address.',
  signup_disabled: 'Nobody has invited the address you use there.',
}

export function signedInView(csrf: string, email: string): Page {
  return {
    title: 'You are signed in',
    body: html`<p>Signed in as <strong>${email}</strong>.</p>
<p><a href="/">Go to the start page</a></p>
<form method="post" action="/sign-out">${hidden('csrf', csrf)}<button type="submit" class="plain">Sign out</button></form>`,
  }
}

interface CodeView {
  readonly csrf: string
  readonly action: string
  readonly email: string
  readonly next?: string
  readonly problem?: Trouble
  readonly extra?: Html
  readonly submit: string
}

/** After a mail was asked for. Says the same for every address. */
export function codeView({ csrf, action, email, next, problem, extra, submit }: CodeView): Page {
  const fields = [hidden('email', email), next === undefined ? undefined : hidden('next', next), codeField, extra]
  return {
    title: 'Look into your mail',
    problem,
    body: html`<p>If ${email} can be used here, a mail is on its way. Open its link, or enter its code.</p>
${form({ action, csrf, fields, submit })}
<p class="aside">It works once and for ten minutes. <a href="/sign-in">Start again</a></p>`,
  }
}

export function signUpView(csrf: string, next: string, email: string, problem?: Trouble): Page {
  const fields = [hidden('next', next), emailField(email), newPasswordField]
  return {
    title: 'Sign up',
    problem,
    body: html`${form({ action: '/sign-up', csrf, fields, submit: 'Sign up' })}
<p class="aside">Already have an account? <a href="${withNext('/sign-in', next)}">Sign in</a></p>`,
  }
}

export function resetView(csrf: string, email: string, problem?: Trouble): Page {
  return {
    title: 'Forgot the password?',
    problem,
    body: html`<p>We send a link and a code to choose a new one with.</p>
${form({ action: '/password/reset', csrf, fields: [emailField(email)], submit: 'Send it' })}
<p class="aside"><a href="/sign-in">Back to sign-in</a></p>`,
  }
}

interface NewPasswordView {
  readonly csrf: string
  readonly token: string
  readonly email: string
  readonly problem?: Trouble
}

/** By a link's token, or by address and code. */
export function newPasswordView({ csrf, token, email, problem }: NewPasswordView): Page {
  const proof = token === '' ? [hidden('email', email), codeField] : [hidden('token', token)]
  return {
    title: 'Choose a new password',
    problem,
    body: html`${token === '' ? html`<p>If ${email} is known here, a mail with a code is on its way.</p>` : ''}
${form({ action: '/password/new', csrf, fields: [...proof, newPasswordField], submit: 'Save the password' })}
<p class="aside">Every other session of yours will end.</p>`,
  }
}

/** A click of a person, never the prefetch of a mail scanner, uses up a link. */
export function linkView(csrf: string, action: string, token: string, email: string, submit: string): Page {
  return {
    title: submit,
    body: html`<p>For <strong>${email}</strong>.</p>
${form({ action, csrf, fields: [hidden('token', token)], submit })}`,
  }
}

/** The app that asked for the link takes it from here. */
export function continueView(redirectTo: string, token: string, email: string, type: string): Page {
  const url = new URL(redirectTo)
  for (const [name, value] of Object.entries({ token, type, email })) url.searchParams.set(name, value)
  return {
    title: `Continue to ${url.host}`,
    body: html`<p>You asked for this link at <strong>${url.host}</strong>, as ${email}.</p>
<a class="button" href="${url.href}" rel="noreferrer">Continue</a>`,
  }
}

const withNext = (path: string, next: string) => (next === '' ? path : `${path}?next=${encodeURIComponent(next)}`)
