import { operations } from '@svc/contract'
import { Answer, type Handled, handle, problem, type RequestFacts } from '../kernel/http/index.ts'
import type { KeptMail, Mail } from '../mail/index.ts'
import { html } from './html.ts'
import { type PageParts, readPageRequest } from './page-request.ts'

/**
 * Mail holds the keys to accounts: only somebody at this very machine may read it here. Behind a proxy everybody looks
 * as if they were, so a server that has one, or an address of its own, shows nothing.
 */
export function mailboxPage(parts: PageParts, mail: Mail): Handled {
  return handle(operations.pages.mailbox, async (call) => {
    const { request, query } = call
    if (mail.canLeave || !staysHere(parts.kernel.config) || !isLocal(request)) throw problem('not_found')
    const mails = await mail.listKept()
    if (wantsJson(request, query.format)) {
      const body = JSON.stringify({ mails: mails.map(showMail) })
      return new Answer(body, { headers: { 'content-type': 'application/json; charset=utf-8' } })
    }
    const page = await readPageRequest(parts, call)
    return page.show({ title: 'Local mailbox', body: mailboxView(mails) })
  })
}

const forwarding = ['forwarded', 'via', 'x-real-ip']

type Place = Pick<PageParts['kernel']['config'], 'host' | 'publicUrl' | 'trustedProxies'>

function staysHere({ host, publicUrl, trustedProxies }: Place): boolean {
  const isOwnName = publicUrl === undefined || isLoopback(new URL(publicUrl).hostname)
  return isLoopback(host) && isOwnName && trustedProxies.length === 0
}

function isLocal({ incoming }: RequestFacts): boolean {
  const { headers, socket } = incoming
  const isForwarded = Object.keys(headers).some((name) => forwarding.includes(name) || name.startsWith('x-forwarded-'))
  const host = (headers.host ?? '').replace(/:\d+$/, '')
  return isLoopback(host) && isLoopback(socket.remoteAddress ?? '') && !isForwarded
}

function isLoopback(name: string): boolean {
  const plain = name
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/^::ffff:/, '')
  return plain === 'localhost' || plain === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(plain)
}

function wantsJson({ incoming }: RequestFacts, format: string): boolean {
  if (format !== '') return format === 'json'
  return /\bapplication\/json\b/.test(incoming.headers.accept ?? '')
}

function showMail({ mailId, to, subject, text, createdAt }: KeptMail) {
  return { mail_id: mailId, to, subject, text, created_at: createdAt.toISOString() }
}

function mailboxView(mails: readonly KeptMail[]) {
  const intro = html`<p class="hint">No mail server is set, so mail stays here. Only this machine can see it.</p>`
  if (mails.length === 0) return html`${intro}<article><p>No mail yet.</p></article>`
  return html`${intro}${mails.map(
    ({ to, subject, text, createdAt }) =>
      html`<article><h2>${subject}</h2><p class="hint">To ${to}, ${createdAt.toISOString()}</p><pre>${withLinks(text)}</pre></article>`,
  )}`
}

/** The addresses in a mail can be clicked, as in any mailbox. */
function withLinks(text: string) {
  const pieces = text.split(/(https?:\/\/\S+)/)
  return pieces.map((piece, at) => (at % 2 === 1 ? html`<a href="${piece}">${piece}</a>` : piece))
}
