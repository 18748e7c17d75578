import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { form, text } from './kernel/payload.ts'
import { instant } from './kernel/shapes.ts'

/**
 * Server-rendered pages, so that every link the platform sends leads somewhere. They work without script. What a form
 * sends is checked by the page itself, which answers mistakes in words; so the shapes here are wide.
 */

const field = z.string().max(2048).default('')
const secret = z.string().max(1024).default('')
const html = text('text/html')

/** Recorded when its cookie says who asked. */
const page = { needs: 'public', audit: 'request', returns: html } as const
const posted = { ...page, idempotent: false, maxBodyBytes: 16 * 1024 } as const
/** Proves that the form was ours. */
const guard = { csrf: secret }

export const stylesheet = operation({
  id: 'pages.stylesheet',
  at: 'GET /pages.css',
  summary: 'The stylesheet of the pages',
  needs: 'public',
  audit: 'none',
  returns: text('text/css'),
})

export const firstRun = operation({
  id: 'pages.firstRun',
  at: 'GET /first-run',
  summary: 'Page: become the owner of this instance',
  ...page,
  query: z.object({ token: secret }),
})

export const claim = operation({
  id: 'pages.claim',
  at: 'POST /first-run',
  summary: 'Form: become the owner of this instance',
  ...posted,
  body: form(z.object({ ...guard, token: secret, email: field, password: secret })),
})

export const signIn = operation({
  id: 'pages.signIn',
  at: 'GET /sign-in',
  summary: 'Page: sign in',
  ...page,
  query: z.object({ next: field }),
})

export const signInWithPassword = operation({
  id: 'pages.signInWithPassword',
  at: 'POST /sign-in',
  summary: 'Form: sign in with a password',
  ...posted,
  body: form(z.object({ ...guard, email: field, password: secret, next: field })),
})

export const signInWithProvider = operation({
  id: 'pages.signInWithProvider',
  at: 'GET /sign-in/with/:provider',
  summary: 'Page: to another provider, to sign in there',
  ...page,
  query: z.object({ next: field }),
})

export const returnFromProvider = operation({
  id: 'pages.returnFromProvider',
  at: 'GET /sign-in/returned',
  summary: 'Page: where a sign-in at another provider ends',
  ...page,
  query: z.object({ code: secret, error: field, error_description: field, next: field }),
})

export const sendCode = operation({
  id: 'pages.sendCode',
  at: 'POST /sign-in/email',
  summary: 'Form: have a sign-in link and code sent',
  ...posted,
  body: form(z.object({ ...guard, email: field, next: field })),
})

export const signInWithCode = operation({
  id: 'pages.signInWithCode',
  at: 'POST /sign-in/code',
  summary: 'Form: sign in with a code',
  ...posted,
  body: form(z.object({ ...guard, email: field, code: secret, next: field })),
})

export const signInLink = operation({
  id: 'pages.signInLink',
  at: 'GET /sign-in/link',
  summary: 'Page: where a mailed sign-in link leads',
  ...page,
  query: z.object({ token: secret }),
})

export const signInWithLink = operation({
  id: 'pages.signInWithLink',
  at: 'POST /sign-in/link',
  summary: 'Form: sign in with a mailed link',
  ...posted,
  body: form(z.object({ ...guard, token: secret })),
})

export const signUp = operation({
  id: 'pages.signUp',
  at: 'GET /sign-up',
  summary: 'Page: sign up',
  ...page,
  query: z.object({ next: field, email: field }),
})

export const register = operation({
  id: 'pages.register',
  at: 'POST /sign-up',
  summary: 'Form: sign up',
  ...posted,
  body: form(z.object({ ...guard, email: field, password: secret, next: field })),
})

export const confirmLink = operation({
  id: 'pages.confirmLink',
  at: 'GET /sign-up/confirm',
  summary: 'Page: where the mailed link of a sign-up leads',
  ...page,
  query: z.object({ token: secret }),
})

export const confirm = operation({
  id: 'pages.confirm',
  at: 'POST /sign-up/confirm',
  summary: 'Form: confirm an address by link or code',
  ...posted,
  body: form(z.object({ ...guard, token: secret, email: field, code: secret, next: field })),
})

export const resetPassword = operation({
  id: 'pages.resetPassword',
  at: 'GET /password/reset',
  summary: 'Page: forgotten password',
  ...page,
})

export const sendReset = operation({
  id: 'pages.sendReset',
  at: 'POST /password/reset',
  summary: 'Form: have a link and code for a new password sent',
  ...posted,
  body: form(z.object({ ...guard, email: field })),
})

export const newPassword = operation({
  id: 'pages.newPassword',
  at: 'GET /password/new',
  summary: 'Page: where the mailed link of a password reset leads',
  ...page,
  query: z.object({ token: secret }),
})

export const setPassword = operation({
  id: 'pages.setPassword',
  at: 'POST /password/new',
  summary: 'Form: choose a new password by link or code',
  ...posted,
  body: form(z.object({ ...guard, token: secret, email: field, code: secret, password: secret })),
})

export const signOut = operation({
  id: 'pages.signOut',
  at: 'POST /sign-out',
  summary: 'Form: sign out of the pages',
  ...posted,
  body: form(z.object({ ...guard })),
})

export const invite = operation({
  id: 'pages.invite',
  at: 'GET /invite/:inviteId',
  summary: 'Page: an invitation to an account',
  ...page,
})

export const answerInvite = operation({
  id: 'pages.answerInvite',
  at: 'POST /invite/:inviteId',
  summary: 'Form: accept or decline an invitation',
  ...posted,
  body: form(z.object({ ...guard, decision: field })),
})

export const consent = operation({
  id: 'pages.consent',
  at: 'GET /oauth/consent',
  summary: 'Page: let an app act for you',
  ...page,
  query: z.object({ request_id: field }),
})

export const answerConsent = operation({
  id: 'pages.answerConsent',
  at: 'POST /oauth/consent',
  summary: 'Form: let an app act for you, or not',
  ...posted,
  body: form(z.object({ ...guard, request_id: field, decision: field })),
})

export const accessToken = operation({
  id: 'pages.accessToken',
  at: 'POST /session/access',
  summary: 'A short-lived access token for the dashboard, by the cookie of whoever is signed in',
  description: 'Answers scripts of this origin only; they send `X-Svc-Client: web`.',
  needs: 'public',
  audit: 'request',
  returns: z.object({ access_token: z.string(), expires_at: instant }),
  errors: ['unauthorized', 'forbidden'],
})

export const mailbox = operation({
  id: 'pages.mailbox',
  at: 'GET /dev/mailbox',
  summary: 'The local mailbox, where no mail server is set',
  description:
    'A page, or JSON with `Accept: application/json` or `?format=json`. Answers 404 unless the server listens on ' +
    'loopback, is asked by a loopback name without any proxy, and has no mail server.',
  ...page,
  query: z.object({ format: z.enum(['', 'json', 'html']).default('') }),
  errors: ['not_found'],
})
