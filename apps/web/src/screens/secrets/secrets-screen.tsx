import { useProjectSecrets } from '@svc/sdk/react'
import { useParams } from '@tanstack/react-router'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { List, Row } from '../../ui/list.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { OwnValue } from './own-value.tsx'
import { WriteSecret } from './write-secret.tsx'

type Query = ReturnType<typeof useProjectSecrets>
type Secret = NonNullable<Query['data']>['items'][number]

/** Values that agents use. They go in here and are never shown again. */
export function SecretsScreen() {
  const { projectId } = useParams({ from: '/projects/$projectId' })
  const secrets = useProjectSecrets(projectId)
  return (
    <Page
      title="Secrets"
      intro="Values that agents use. They are kept encrypted and are never shown again."
      actions={secrets.data?.can_manage && <WriteSecret onWrite={secrets.upsert.mutateAsync} />}
    >
      <QueryView query={secrets}>
        {({ items, required, optional, can_manage: canManage }) => {
          const missing = required.filter((name) => !items.some((one) => one.name === name && hasValue(one)))
          const unset = [...required, ...optional].filter((name) => !items.some((one) => one.name === name))
          return (
            <>
              {missing.length > 0 && (
                <Notice tone="warn">The manifest asks for {missing.join(', ')}, and there is no value yet.</Notice>
              )}
              {items.length + unset.length === 0 ? (
                <EmptyState title="No secrets yet">
                  Add the first one, or declare what you need under <code className="font-mono">env</code> in the
                  manifest.
                </EmptyState>
              ) : (
                <List label="Secrets">
                  {items.map((secret) => (
                    <SecretRow key={secret.identifier} secret={secret} secrets={secrets} />
                  ))}
                  {unset.map((name) => (
                    <UnsetRow key={name} name={name} canManage={canManage} secrets={secrets} />
                  ))}
                </List>
              )}
            </>
          )
        }}
      </QueryView>
    </Page>
  )
}

const hasValue = ({ configured, mine }: Secret) => configured || mine?.active === true

/** A name that the manifest asks for, and nobody gave a value. */
function UnsetRow({ name, canManage, secrets }: { name: string; canManage: boolean; secrets: Query }) {
  return (
    <Row title={<span className="font-mono">{name}</span>} note="asked for by the manifest, no value yet">
      {canManage && (
        <WriteSecret secret={{ name, identifier: name, configured: false }} onWrite={secrets.upsert.mutateAsync} />
      )}
      <OwnValue name={name} hasOwn={false} hasShared={false} secrets={secrets} />
    </Row>
  )
}

const ways: Readonly<Record<Secret['strategy'], { readonly tone: Tone; readonly label: string }>> = {
  runtime: { tone: 'plain', label: 'in the sandbox' },
  egress: { tone: 'good', label: 'added on the way out' },
  broker: { tone: 'good', label: 'never in the sandbox' },
  denied: { tone: 'warn', label: 'not given to agents' },
}

function SecretRow({ secret, secrets }: { readonly secret: Secret; readonly secrets: Query }) {
  const { upsert, remove } = secrets
  const canChange = secret.can_manage_shared && !secret.readonly && !secret.system
  const way = ways[secret.strategy]
  const removeIt = () => remove.mutateAsync(secret.identifier).then(() => showToast('Removed.'))
  return (
    <Row
      title={<span className="font-mono">{secret.name}</span>}
      note={
        <>
          {secret.configured ? (
            <>
              changed <RelativeTime at={secret.last_rotated_at ?? secret.updated_at} />
            </>
          ) : (
            'no shared value'
          )}
          {secret.mine && (
            <>
              , yours {secret.mine.active ? 'is used in your sessions' : 'is switched off'}, changed{' '}
              <RelativeTime at={secret.mine.updated_at} />
            </>
          )}
        </>
      }
    >
      <Badge tone={way.tone}>{way.label}</Badge>
      {secret.mine?.active && <Badge tone="accent">yours</Badge>}
      {secret.requires_rotation && <Badge tone="warn">should be rotated</Badge>}
      {!secret.system && secret.consumer !== 'llm_gateway' && (
        <OwnValue name={secret.name} hasOwn={secret.mine !== null} hasShared={secret.configured} secrets={secrets} />
      )}
      {canChange && <WriteSecret secret={secret} onWrite={upsert.mutateAsync} />}
      {canChange && secret.configured && (
        <ConfirmDialog
          title={`Remove ${secret.name}?`}
          description="Sessions that use it go on without it. Its value cannot be brought back."
          confirmLabel="Remove"
          trigger={<Button size="small">Remove</Button>}
          onConfirm={removeIt}
        />
      )}
    </Row>
  )
}
