import { useProjectSession, useSessionShares } from '@svc/sdk/react'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { SelectField } from '../../../ui/field.tsx'
import { List, Row } from '../../../ui/list.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { Section } from '../../../ui/section.tsx'
import { showProblem, showToast } from '../../../ui/toasts.tsx'
import type { PanelProps } from './panel-props.ts'
import { ShareFile } from './share-file.tsx'

/** Who in the project sees the session, and links that show parts of it to anyone. */
export function SharePanel({ projectId, sessionId }: PanelProps) {
  return (
    <div className="flex flex-col gap-6">
      <Visibility projectId={projectId} sessionId={sessionId} />
      <Links projectId={projectId} sessionId={sessionId} />
    </div>
  )
}

function Visibility({ projectId, sessionId }: PanelProps) {
  const session = useProjectSession(projectId, sessionId)
  const change = (mode: string) =>
    void session.setSharing
      .mutateAsync(mode === 'project' ? { mode: 'project' } : { mode: 'private' })
      .then(() => showToast('Changed.'), showProblem)
  return (
    <QueryView query={session}>
      {({ visibility, can_manage_sharing: canManage }) => (
        <SelectField
          label="In the project"
          value={visibility}
          disabled={!canManage}
          hint={canManage ? undefined : 'Only its owner and managers change this.'}
          onChange={(event) => change(event.target.value)}
        >
          <option value="private">Only its owner sees it</option>
          <option value="project">Everyone in the project sees it</option>
          {visibility === 'restricted' && <option value="restricted">Chosen people see it</option>}
        </SelectField>
      )}
    </QueryView>
  )
}

function Links({ projectId, sessionId }: PanelProps) {
  const shares = useSessionShares(projectId, sessionId)
  const { create, revoke } = shares
  return (
    <Section
      title="Public links"
      intro="Anyone with such a link sees what it names, without signing in."
      actions={<ShareFile onShare={create.mutateAsync} />}
    >
      <QueryView query={shares}>
        {({ shares: rows }) => {
          const active = rows.filter(({ revoked_at }) => revoked_at === null)
          if (active.length === 0) return <p className="text-ink-faint">No links.</p>
          return (
            <List label="Public links">
              {active.map((share) => (
                <Row
                  key={share.share_id}
                  title={share.label}
                  note={
                    <>
                      made <RelativeTime at={share.created_at} />
                    </>
                  }
                >
                  <CopyButton text={share.public_url ?? new URL(share.public_path, location.origin).href} />
                  <ConfirmDialog
                    title="End this link?"
                    description="Whoever has it sees nothing from this moment on."
                    confirmLabel="End it"
                    trigger={<Button size="small">End</Button>}
                    onConfirm={() => revoke.mutateAsync(share.share_id)}
                  />
                </Row>
              ))}
            </List>
          )
        }}
      </QueryView>
    </Section>
  )
}
