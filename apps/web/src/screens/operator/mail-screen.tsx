import { useOperatorMailbox } from '@svc/sdk/react'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

/** Without a mail server the instance keeps its mails here, so that links in them still reach people. */
export function MailScreen() {
  const mailbox = useOperatorMailbox()
  return (
    <Page title="Mail" intro="Without a mail server, mails stay here instead of being sent.">
      <QueryView query={mailbox}>
        {({ enabled, mails }) => (
          <>
            {!enabled && <Notice>A mail server is set up: mails are sent, and none is kept here.</Notice>}
            {enabled && mails.length === 0 && <EmptyState title="No mails yet" />}
            {mails.length > 0 && (
              <ul aria-label="Mails" className="divide-y divide-line rounded-lg border border-line bg-surface">
                {mails.map((mail) => (
                  <li key={mail.mail_id}>
                    <details>
                      <summary className="flex cursor-pointer flex-wrap gap-x-3 px-4 py-2.5 hover:bg-sunken">
                        <span className="min-w-0 flex-1 basis-48 truncate font-medium">{mail.subject}</span>
                        <span className="text-ink-soft break-all">{mail.to}</span>
                        <span className="text-ink-faint">
                          <RelativeTime at={mail.created_at} />
                        </span>
                      </summary>
                      <p className="bg-sunken px-4 py-3 break-words whitespace-pre-wrap">{mail.text}</p>
                    </details>
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </QueryView>
    </Page>
  )
}
