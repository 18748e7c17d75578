import { useGatewayKeys } from '@svc/sdk/react'
import { CreateToken, TokenList } from '../../tokens/token-list.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Section } from '../../ui/section.tsx'
import { useModelsProject } from './models-frame.tsx'

/** Keys for programs that call models through the platform, with its limits and its log. */
export function KeysScreen() {
  const projectId = useModelsProject()
  const keys = useGatewayKeys(projectId)
  return (
    <Section
      title="Keys"
      intro="For programs of yours that call models through the platform, held against the same budgets."
      actions={<CreateToken noun="key" onCreate={keys.create.mutateAsync} />}
    >
      <QueryView query={keys}>
        {({ gateway_url: url, keys: rows }) => (
          <>
            {url && (
              <div className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-surface p-3">
                <code className="min-w-0 flex-1 basis-64 font-mono text-xs break-all">{url}</code>
                <CopyButton text={url} />
              </div>
            )}
            <TokenList
              noun="key"
              tokens={rows.map((row) => ({
                token_id: row.key_id,
                name: row.name,
                public_key: row.key_prefix,
                status: row.status === 'active' ? ('active' as const) : ('revoked' as const),
                expires_at: null,
                last_used_at: row.last_used_at,
              }))}
              onRevoke={keys.revoke.mutateAsync}
            />
          </>
        )}
      </QueryView>
    </Section>
  )
}
