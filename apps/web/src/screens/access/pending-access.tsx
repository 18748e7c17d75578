import { useAccessRequests, useProjectInvites } from '@svc/sdk/react'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { List, Row } from '../../ui/list.tsx'
import { ProblemNotice } from '../../ui/notice.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Section } from '../../ui/section.tsx'
import { showProblem, showToast } from '../../ui/toasts.tsx'

const act = (work: Promise<unknown>, done: string) => void work.then(() => showToast(done), showProblem)

/** Nothing where nobody asks. */
export function AccessRequests({ projectId }: { readonly projectId: string }) {
  const requests = useAccessRequests(projectId)
  const pending = requests.data?.requests.filter(({ status }) => status === 'pending') ?? []
  if (pending.length === 0 && !requests.error) return null
  return (
    <Section title="They ask for access">
      {requests.error && <ProblemNotice error={requests.error} onRetry={() => void requests.refetch()} />}
      <List label="Requests for access">
        {pending.map(({ request_id: requestId, requester_email: email, message, created_at }) => (
          <Row
            key={requestId}
            title={email}
            note={
              <>
                {message && `“${message}” · `}
                <RelativeTime at={created_at} />
              </>
            }
          >
            <Button size="small" onClick={() => act(requests.reject.mutateAsync(requestId), 'Declined.')}>
              Decline
            </Button>
            <Button
              size="small"
              look="primary"
              onClick={() => act(requests.approve.mutateAsync({ requestId }), `${email} is a member now.`)}
            >
              Let in
            </Button>
          </Row>
        ))}
      </List>
    </Section>
  )
}

/** Nothing where every invitation was answered. */
export function PendingInvites({ projectId }: { readonly projectId: string }) {
  const invites = useProjectInvites(projectId)
  if (invites.isPending || invites.data?.pending.length === 0) return null
  return (
    <Section title="Invited, not here yet">
      <QueryView query={invites}>
        {({ pending }) => (
          <List label="Invitations">
            {pending.map((invite) => (
              <Row
                key={invite.invite_id}
                title={invite.email}
                note={
                  <>
                    as {invite.project_role}, ends <RelativeTime at={invite.invite_expires_at} />
                  </>
                }
              >
                {invite.invite_expired && <Badge tone="warn">ended</Badge>}
                <Button size="small" onClick={() => act(invites.resend.mutateAsync(invite.invite_id), 'Sent again.')}>
                  Send again
                </Button>
                <Button size="small" onClick={() => act(invites.revoke.mutateAsync(invite.invite_id), 'Taken back.')}>
                  Take back
                </Button>
              </Row>
            ))}
          </List>
        )}
      </QueryView>
    </Section>
  )
}
