import type { Config } from '../kernel/config.ts'
import { PermanentJobError } from '../kernel/jobs/index.ts'
import type { MailContent } from './seal-mail.ts'

/** One attempt. The message id stays the same on every retry, so that a mail server can drop a repeat. */
export async function deliverBySmtp(config: Config, mailId: string, to: string, mail: MailContent): Promise<void> {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    url: config.smtpUrl ?? '',
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    // No attachment and no link of ours is ever fetched or read from disk.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    await transport.sendMail({
      from: config.mailFrom ?? '',
      to: { name: '', address: to },
      subject: mail.subject,
      text: mail.text,
      messageId: `<${mailId}@svc>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
  } catch (error) {
    throw explain(error)
  } finally {
    transport.close()
  }
}

/** The server's own words may repeat the mail or its receiver, so only its code is kept. */
function explain(error: unknown): Error {
  const responseCode = readField(error, 'responseCode')
  const code = readField(error, 'code')
  if (typeof responseCode === 'number' && responseCode >= 500) {
    return new PermanentJobError(`The mail server refused the mail for good (${responseCode}).`)
  }
  return new Error(`The mail could not be handed over (${String(responseCode ?? code ?? 'no answer')}).`)
}

function readField(error: unknown, name: string): unknown {
  if (typeof error !== 'object' || error === null) return undefined
  return Object.entries(error).find(([key]) => key === name)?.[1]
}
