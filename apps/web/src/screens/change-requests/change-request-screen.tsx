import { useChangeRequest, useChangeRequests } from '@svc/sdk/react'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextArea } from '../../ui/field.tsx'
import { Notice, ProblemNotice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { showProblem, showToast } from '../../ui/toasts.tsx'
import { requestTones } from './change-requests-screen.tsx'
import { ConflictView } from './conflict-view.tsx'
import { PatchView } from './patch-view.tsx'

/** One change request: what it changes, whether it merges, and the decision. */
export function ChangeRequestScreen() {
  const { projectId, crId } = useParams({ from: '/projects/$projectId/change-requests/$crId' })
  const { request, diff, preview } = useChangeRequest(projectId, crId)
  const record = request.data
  return (
    <Page
      title={record ? `#${record.number} ${record.title}` : 'Change request'}
      intro={
        record && (
          <span className="flex flex-wrap items-center gap-2">
            <Badge tone={requestTones[record.status] ?? 'plain'}>{record.status}</Badge>
            <span className="font-mono text-xs break-all">
              {record.head_ref} → {record.base_ref}
            </span>
            {record.origin_session_id && (
              <Link
                to="/projects/$projectId/sessions/$sessionId"
                params={{ projectId, sessionId: record.origin_session_id }}
                className="text-accent underline"
              >
                the session behind it
              </Link>
            )}
          </span>
        )
      }
      actions={record && <Decisions projectId={projectId} crId={crId} status={record.status} preview={preview.data} />}
    >
      {request.error && <ProblemNotice error={request.error} onRetry={() => void request.refetch()} />}
      {record?.description && <p className="whitespace-pre-wrap">{record.description}</p>}
      {preview.data && <MergeState projectId={projectId} baseRef={record?.base_ref ?? ''} preview={preview.data} />}
      <QueryView query={diff}>
        {({ patch, files_changed, additions, deletions }) => (
          <section aria-label="Changes" className="flex flex-col gap-3">
            <p className="text-ink-soft">
              {files_changed} {files_changed === 1 ? 'file' : 'files'} changed,{' '}
              <span className="text-good">+{additions}</span> <span className="text-bad">−{deletions}</span>
            </p>
            <PatchView patch={patch} />
          </section>
        )}
      </QueryView>
    </Page>
  )
}

interface Preview {
  readonly can_merge: boolean
  readonly conflicts: readonly string[]
  readonly is_up_to_date: boolean
  readonly head_sha: string
  readonly base_sha: string
  readonly merge_base: string | null
}

interface MergeStateProps {
  readonly projectId: string
  readonly baseRef: string
  readonly preview: Preview
}

function MergeState({ projectId, baseRef, preview }: MergeStateProps) {
  if (preview.is_up_to_date) return <Notice>The base branch has all of this already.</Notice>
  if (preview.can_merge) return <Notice tone="good">Merges without conflicts.</Notice>
  return (
    <Notice tone="warn">
      <p className="font-medium">
        {preview.conflicts.length === 1 ? 'One file conflicts' : `${preview.conflicts.length} files conflict`} with{' '}
        {baseRef}.
      </p>
      <p className="mt-1">Ask for changes, so that the session behind it takes in {baseRef} and settles them.</p>
      <div className="mt-2 flex flex-col gap-2">
        {preview.conflicts.map((path) => (
          <ConflictView
            key={path}
            projectId={projectId}
            path={path}
            baseRef={baseRef}
            baseSha={preview.base_sha}
            headSha={preview.head_sha}
            mergeBase={preview.merge_base}
          />
        ))}
      </div>
    </Notice>
  )
}

interface DecisionsProps {
  readonly projectId: string
  readonly crId: string
  readonly status: string
  readonly preview: Preview | undefined
}

function Decisions({ projectId, crId, status, preview }: DecisionsProps) {
  const { merge, close, reopen } = useChangeRequests(projectId)
  const act = (work: Promise<unknown>, done: string) => void work.then(() => showToast(done), showProblem)
  if (status === 'merged') return null
  if (status === 'closed') {
    return (
      <Button isBusy={reopen.isPending} onClick={() => act(reopen.mutateAsync({ crId }), 'Open again.')}>
        Reopen
      </Button>
    )
  }
  // Exactly what was looked at is merged; if a branch has moved since, the server says so.
  const seen = preview && { expected_head_sha: preview.head_sha, expected_base_sha: preview.base_sha }
  return (
    <>
      <RequestChanges projectId={projectId} crId={crId} />
      <Button isBusy={close.isPending} onClick={() => act(close.mutateAsync({ crId }), 'Closed. It can be reopened.')}>
        Close
      </Button>
      <Button
        look="primary"
        disabled={preview?.can_merge !== true}
        isBusy={merge.isPending}
        onClick={() => act(merge.mutateAsync({ crId, ...(seen ? { input: seen } : {}) }), 'Merged.')}
      >
        Merge
      </Button>
    </>
  )
}

function RequestChanges({ projectId, crId }: { readonly projectId: string; readonly crId: string }) {
  const { requestChanges } = useChangeRequests(projectId)
  const [isOpen, setOpen] = useState(false)
  const [feedback, setFeedback] = useState('')
  const send = async () => {
    await requestChanges.mutateAsync({ crId, input: { feedback } })
    setOpen(false)
    setFeedback('')
    showToast('Sent. The session behind it goes on with it.')
  }
  return (
    <Dialog title="Request changes" isOpen={isOpen} onOpenChange={setOpen} trigger={<Button>Request changes</Button>}>
      <TextArea
        label="What should be different?"
        value={feedback}
        onChange={(event) => setFeedback(event.target.value)}
      />
      {requestChanges.error && <ProblemNotice error={requestChanges.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={() => setOpen(false)}>Cancel</Button>
        <Button
          look="primary"
          disabled={feedback.trim() === ''}
          isBusy={requestChanges.isPending}
          onClick={() => void send().catch(() => undefined)}
        >
          Send
        </Button>
      </div>
    </Dialog>
  )
}
