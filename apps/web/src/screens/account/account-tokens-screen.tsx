import { useAccountTokens } from '@svc/sdk/react'
import { useParams } from '@tanstack/react-router'
import { CreateToken, TokenList } from '../../tokens/token-list.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'

export function AccountTokensScreen() {
  const { accountId } = useParams({ from: '/accounts/$accountId' })
  const tokens = useAccountTokens(accountId)
  return (
    <Page
      title="Tokens"
      intro="Tokens that reach this account. Each can do what the person who made it can do."
      actions={<CreateToken onCreate={(name) => tokens.create.mutateAsync({ name })} />}
    >
      <QueryView query={tokens}>{(rows) => <TokenList tokens={rows} onRevoke={tokens.revoke.mutateAsync} />}</QueryView>
      <LoadMore query={tokens} />
    </Page>
  )
}
