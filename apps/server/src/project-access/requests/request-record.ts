import type { RequestRow } from '../store/requests.ts'

export function toRequest(row: RequestRow, email: string) {
  return {
    request_id: row.requestId,
    account_id: row.accountId,
    project_id: row.projectId,
    requester_user_id: row.requesterUserId,
    requester_email: email,
    message: row.message,
    status: row.status,
    reviewed_by: row.reviewedBy,
    reviewed_at: row.reviewedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}
