import { type AnyOperation, type BodyOf, isPayload, operations } from '@svc/contract'
import { type Handled, problem } from '../kernel/http/index.ts'
import { bindForm, bindPage } from './bind-page.ts'
import type { Page } from './layout.ts'
import { auth, limitLike, type PageParts } from './page-request.ts'
import { safePath } from './return-path.ts'
import {
  codeView,
  continueView,
  describeRefusal,
  firstRunView,
  linkView,
  newPasswordView,
  resetView,
  signedInView,
  signInView,
  signUpView,
} from './sign-in-views.ts'

const { pages } = operations
const home = '/sign-in'

/** First run, sign-in, sign-up, confirmation and password reset, for a browser without script. */
export function signInPages(parts: PageParts): Handled[] {
  const { kernel, signIn } = parts
  const showSignIn = (csrf: string, next: string, email: string, problem?: Page['problem']) =>
    signInView({ csrf, next, email, problem, providers: signIn.providers })
  return [
    bindPage(parts, pages.firstRun, async ({ query }, page) => {
      if (!(await signIn.isFirstRunToken(query.token))) throw problem('first_run_link_invalid')
      return page.show(firstRunView(page.csrf, query.token, ''))
    }),
    bindForm(parts, pages.claim, {
      async run({ body, actor, request }, page) {
        await limitLike(kernel, auth.firstRun, request.ip)
        return page.go(home, await signIn.claim(read(auth.firstRun, body), actor))
      },
      again: ({ body }, { csrf }, trouble) => firstRunView(csrf, body.token, body.email, trouble),
    }),

    bindPage(parts, pages.signIn, ({ query }, page) => {
      const { principal } = page
      if (!principal) return page.show(showSignIn(page.csrf, query.next, ''))
      return query.next === ''
        ? page.show(signedInView(page.csrf, principal.email ?? ''))
        : page.go(safePath(query.next, home))
    }),
    bindForm(parts, pages.signInWithPassword, {
      async run({ body, actor, request }, page) {
        await limitLike(kernel, auth.signInWithPassword, request.ip)
        const token = await signIn.signIn(read(auth.signInWithPassword, body), actor)
        return page.go(safePath(body.next, home), token)
      },
      again: ({ body }, { csrf }, trouble) => showSignIn(csrf, body.next, body.email, trouble),
    }),
    bindPage(parts, pages.signInWithProvider, async ({ params, query, actor, request }, page) => {
      await limitLike(kernel, auth.signInWithProvider, request.ip)
      const back = `/sign-in/returned?next=${encodeURIComponent(safePath(query.next, home))}`
      const { url, code_verifier: verifier } = await signIn.beginAt(params.provider, back, actor)
      return page.leave(url, verifier)
    }),
    bindPage(parts, pages.returnFromProvider, async ({ query, actor, request }, page) => {
      await limitLike(kernel, auth.exchangeCode, request.ip)
      const { code, error, next } = query
      if (error !== '') return page.show(showSignIn(page.csrf, next, '', describeRefusal(error)), { status: 403 })
      const token = await signIn.useProviderCode({ code, code_verifier: page.kept ?? '' }, actor)
      return page.go(safePath(next, home), token)
    }),
    bindForm(parts, pages.sendCode, {
      async run({ body, actor, request }, page) {
        await limitLike(kernel, auth.sendMagicLink, request.ip)
        const { email } = read(auth.sendMagicLink, { email: body.email })
        await signIn.sendLink(email, actor)
        const { csrf } = page
        return page.show(codeView({ csrf, action: '/sign-in/code', email, next: body.next, submit: 'Sign in' }))
      },
      again: ({ body }, { csrf }, trouble) => showSignIn(csrf, body.next, body.email, trouble),
    }),
    bindForm(parts, pages.signInWithCode, {
      async run({ body, actor, request }, page) {
        await limitLike(kernel, auth.verifyOtp, request.ip)
        const proof = read(auth.verifyOtp, { email: body.email, token: body.code, type: 'magiclink' })
        const token = await signIn.useCode({ ...proof, purpose: proof.type }, actor)
        return page.go(safePath(body.next, home), token)
      },
      again: ({ body: { email, next } }, { csrf }, trouble) =>
        codeView({ csrf, action: '/sign-in/code', email, next, problem: trouble, submit: 'Sign in' }),
    }),
    bindPage(parts, pages.signInLink, async ({ query: { token } }, page) => {
      const link = await signIn.readLink(token, 'magiclink')
      if (!link) throw problem('otp_expired')
      if (link.redirectTo) return page.show(continueView(link.redirectTo, token, link.email, 'magiclink'))
      return page.show(linkView(page.csrf, '/sign-in/link', token, link.email, 'Sign in'))
    }),
    bindForm(parts, pages.signInWithLink, {
      async run({ body: { token }, actor, request }, page) {
        await limitLike(kernel, auth.verifyOtp, request.ip)
        return page.go(home, await signIn.useCode({ email: undefined, token, purpose: 'magiclink' }, actor))
      },
    }),

    bindPage(parts, pages.signUp, ({ query }, page) => page.show(signUpView(page.csrf, query.next, query.email))),
    bindForm(parts, pages.register, {
      async run({ body, actor, request }, page) {
        await limitLike(kernel, auth.signUp, request.ip)
        const input = read(auth.signUp, { email: body.email, password: body.password })
        const isToConfirm = await signIn.signUp(input, actor)
        if (!isToConfirm) return page.go(safePath(body.next, home), await signIn.signIn(input, actor))
        const { csrf } = page
        const { email } = input
        return page.show(codeView({ csrf, action: '/sign-up/confirm', email, next: body.next, submit: 'Confirm' }))
      },
      again: ({ body }, { csrf }, trouble) => signUpView(csrf, body.next, body.email, trouble),
    }),
    bindPage(parts, pages.confirmLink, async ({ query: { token } }, page) => {
      const link = await signIn.readLink(token, 'signup')
      if (!link) throw problem('otp_expired')
      if (link.redirectTo) return page.show(continueView(link.redirectTo, token, link.email, 'signup'))
      return page.show(linkView(page.csrf, '/sign-up/confirm', token, link.email, 'Confirm the address'))
    }),
    bindForm(parts, pages.confirm, {
      async run({ body, actor, request }, page) {
        await limitLike(kernel, auth.verifyOtp, request.ip)
        const token = await signIn.useCode({ ...readProof(body), purpose: 'signup' }, actor)
        return page.go(safePath(body.next, home), token)
      },
      again: ({ body: { email, next } }, { csrf }, trouble) =>
        codeView({ csrf, action: '/sign-up/confirm', email, next, problem: trouble, submit: 'Confirm' }),
    }),

    bindPage(parts, pages.resetPassword, (_call, page) => page.show(resetView(page.csrf, ''))),
    bindForm(parts, pages.sendReset, {
      async run({ body, actor, request }, page) {
        await limitLike(kernel, auth.resetPassword, request.ip)
        const { email } = read(auth.resetPassword, { email: body.email })
        await signIn.sendReset(email, actor)
        return page.show(newPasswordView({ csrf: page.csrf, token: '', email }))
      },
      again: ({ body }, { csrf }, trouble) => resetView(csrf, body.email, trouble),
    }),
    bindPage(parts, pages.newPassword, async ({ query: { token } }, page) => {
      const link = await signIn.readLink(token, 'recovery')
      if (!link) throw problem('otp_expired')
      if (link.redirectTo) return page.show(continueView(link.redirectTo, token, link.email, 'recovery'))
      return page.show(newPasswordView({ csrf: page.csrf, token, email: link.email }))
    }),
    bindForm(parts, pages.setPassword, {
      async run({ body, actor, request }, page) {
        await limitLike(kernel, auth.verifyOtp, request.ip)
        const { password } = read(auth.updatePassword, { password: body.password })
        return page.go(home, await signIn.setPassword({ ...readProof(body), purpose: 'recovery' }, password, actor))
      },
      again: ({ body: { token, email } }, { csrf }, trouble) =>
        newPasswordView({ csrf, token, email, problem: trouble }),
    }),

    bindForm(parts, pages.signOut, {
      async run(_call, page) {
        if (page.principal) await signIn.signOut(page.principal)
        return page.go(home, null)
      },
    }),
  ]
}

/** The rules of the API hold for the forms: one definition, two faces. */
function read<Op extends AnyOperation>({ id, body }: Op, given: unknown): BodyOf<Op> {
  if (!body || isPayload(body)) throw new TypeError(`${id} takes no JSON body`)
  const parsed = body.safeParse(given)
  // The shape is this operation's own, so what it gives has the type the operation declares.
  if (parsed.success) return parsed.data as BodyOf<Op>
  const [issue] = parsed.error.issues
  const name = String(issue?.path[0] ?? 'This form')
  throw problem('validation_failed', { say: `${labels[name] ?? name}: ${issue?.message ?? 'not valid'}.`, next: '' })
}

const labels: Readonly<Record<string, string>> = { email: 'Mail address', password: 'Password', token: 'Code' }

/** By a link's token, or by address and code. */
function readProof({ token, email, code }: { token: string; email: string; code: string }) {
  if (token !== '') return { email: undefined, token }
  return read(auth.verifyOtp, { email, token: code, type: 'signup' })
}
