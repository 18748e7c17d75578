import { useAccessRequests, useProjectAccess, useProjectInvites } from '@svc/sdk/react'
import { useParams } from '@tanstack/react-router'
import { LoadMore } from '../../ui/load-more.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Section } from '../../ui/section.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
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
  // Known before what stands below them shows, so that nothing moves.
  const requests = useAccessRequests(canManage ? projectId : undefined)
  const invites = useProjectInvites(canManage ? projectId : undefined)
  const isSettled = !canManage || !(requests.isPending || invites.isPending)
  return (
    <Page
      title="Access"
      intro="Who reaches this project, and by what."
      actions={canManage && <InvitePerson onInvite={access.invite.mutateAsync} />}
    >
      <QueryView query={access}>
        {(data) =>
          isSettled ? (
            <>
              {canManage && <AccessRequests projectId={projectId} />}
              <Section title="People">
                <MemberRows access={access} data={data} />
                <LoadMore query={access} />
              </Section>
              {canManage && <PendingInvites projectId={projectId} />}
              <WhyForm accountId={data.account_id} projectId={projectId} members={data.members} />
              <Assignments
                accountId={data.account_id}
                projectId={projectId}
                canManage={canManage}
                members={data.members}
              />
            </>
          ) : (
            <SkeletonRows />
          )
        }
      </QueryView>
    </Page>
  )
}
