import { useProjectAccess } from '@svc/sdk/react'
import { useParams } from '@tanstack/react-router'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Section } from '../../ui/section.tsx'
import { Assignments } from './assignments.tsx'
import { InvitePerson } from './invite-person.tsx'
import { MemberRows } from './member-rows.tsx'
import { AccessRequests, PendingInvites } from './pending-access.tsx'
import { WhyForm } from './why-form.tsx'

/** Who reaches this project, who is invited, who asks, and why somebody may or may not do something. */
export function AccessScreen() {
  const { projectId } = useParams({ from: '/projects/$projectId' })
  const access = useProjectAccess(projectId)
  const canManage = access.data?.can_manage === true
  return (
    <Page
      title="Access"
      intro="Who reaches this project, and by what."
      actions={canManage && <InvitePerson onInvite={access.invite.mutateAsync} />}
    >
      {canManage && <AccessRequests projectId={projectId} />}
      <Section title="People">
        <QueryView query={access}>{(data) => <MemberRows access={access} data={data} />}</QueryView>
      </Section>
      {canManage && <PendingInvites projectId={projectId} />}
      <QueryView query={access} loading={null}>
        {({ account_id, members }) => (
          <Assignments accountId={account_id} projectId={projectId} canManage={canManage} members={members} />
        )}
      </QueryView>
      <QueryView query={access} loading={null}>
        {({ account_id, members }) => <WhyForm accountId={account_id} projectId={projectId} members={members} />}
      </QueryView>
    </Page>
  )
}
