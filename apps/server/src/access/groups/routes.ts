import { operations } from '@svc/contract'
import { answerPage, encodeCursor, type Handled, handle } from '../../kernel/http/index.ts'
import type { Access } from '../access.ts'
import {
  addGroupMembers,
  createGroup,
  deleteGroup,
  getGroup,
  listGroupMembers,
  listGroups,
  removeGroupMember,
  toGroupRecord,
  updateGroup,
} from './groups.ts'

export function groupRoutes(access: Access): Handled[] {
  const { iam } = operations
  return [
    handle(iam.listGroups, async ({ accountId, query }) =>
      answerPage(
        await listGroups(access, accountId, query.cursor),
        (group) => encodeCursor([group.name]),
        (page) => ({ groups: page.map(toGroupRecord) }),
      ),
    ),
    handle(iam.createGroup, ({ accountId, actor, body }) => createGroup(access, actor, accountId, body)),
    handle(iam.getGroup, ({ accountId, params }) => getGroup(access, accountId, params.groupId)),
    handle(iam.updateGroup, ({ accountId, actor, params, body }) =>
      updateGroup(access, actor, accountId, params.groupId, body),
    ),
    handle(iam.deleteGroup, async ({ accountId, actor, params }) => {
      await deleteGroup(access, actor, accountId, params.groupId)
      return { deleted: true as const }
    }),
    handle(iam.listGroupMembers, async ({ accountId, params, query }) =>
      answerPage(
        await listGroupMembers(access, accountId, params.groupId, query.cursor),
        (member) => encodeCursor([member.userId]),
        (page) => ({
          members: page.map(({ userId, addedAt, addedBy }) => ({
            user_id: userId,
            added_at: addedAt.toISOString(),
            added_by: addedBy,
          })),
        }),
      ),
    ),
    handle(iam.addGroupMembers, async ({ accountId, actor, params, body }) => ({
      added: await addGroupMembers(access, actor, accountId, params.groupId, body.userIds),
    })),
    handle(iam.removeGroupMember, async ({ accountId, actor, params }) => {
      await removeGroupMember(access, actor, accountId, params.groupId, params.userId)
      return { removed: true as const }
    }),
  ]
}
