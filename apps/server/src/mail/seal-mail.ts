import { z } from 'zod'
import type { Envelope } from '../kernel/crypto/index.ts'

const Content = z.object({ subject: z.string(), text: z.string() })
export type MailContent = z.output<typeof Content>

const place = (mailId: string) => ({ scope: 'platform', table: 'mails', row: mailId, field: 'sealed' })

/** A mail waits encrypted: whoever reads the tables or a backup finds no code and no link. */
export async function sealMail(envelope: Envelope, mailId: string, content: MailContent): Promise<string> {
  return (await envelope.seal(place(mailId), JSON.stringify(content))).toString('base64')
}

export async function openMail(envelope: Envelope, row: { mailId: string; sealed: string }): Promise<MailContent> {
  return Content.parse(JSON.parse(await envelope.openText(place(row.mailId), Buffer.from(row.sealed, 'base64'))))
}
