import { auth } from '@svc/sdk'
import { useAccounts, useAccountTokens, useIdentity } from '@svc/sdk/react'
import { useState } from 'react'
import { getToken } from '../../session/access-token.ts'
import { signOut } from '../../session/sign-out.ts'
import { chooseAccount, useChosenAccount } from '../../shell/account-choice.ts'
import { CreateToken, TokenList } from '../../tokens/token-list.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { List, Row } from '../../ui/list.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Section } from '../../ui/section.tsx'
import { showProblem, showToast } from '../../ui/toasts.tsx'
import { ChangePassword } from './change-password.tsx'

/** You: your accounts, your tokens, your password, and where you are signed in. */
export function ProfileScreen() {
  const identity = useIdentity()
  const { account } = useChosenAccount()
  const signOutElsewhere = async () => {
    await auth.signOut(await getToken(), { scope: 'others' })
    showToast('Every other browser and app of yours is signed out.')
  }
  return (
    <Page title="Profile" intro={identity.data?.email}>
      <QueryView query={identity}>
        {({ accounts, email }) => (
          <>
            <Section title="Accounts" actions={<NewAccount />}>
              <List label="Your accounts">
                {accounts.map(({ account_id, name, role }) => (
                  <Row key={account_id} title={name}>
                    <Badge tone="accent">{role}</Badge>
                  </Row>
                ))}
              </List>
            </Section>
            {email && <ChangePassword email={email} />}
            <Section title="Sessions">
              <div className="flex flex-wrap gap-2">
                <ConfirmDialog
                  title="Sign out everywhere else?"
                  description="Every other browser and app of yours is signed out at once. Tokens stay."
                  confirmLabel="Sign out elsewhere"
                  trigger={<Button>Sign out elsewhere</Button>}
                  onConfirm={signOutElsewhere}
                />
                <Button onClick={() => void signOut().catch(showProblem)}>Sign out here</Button>
              </div>
            </Section>
            <OwnTokens accountId={account?.account_id} accountName={account?.name ?? ''} />
          </>
        )}
      </QueryView>
    </Page>
  )
}

function OwnTokens({
  accountId,
  accountName,
}: {
  readonly accountId: string | undefined
  readonly accountName: string
}) {
  const tokens = useAccountTokens(accountId, { mine: true })
  return (
    <Section
      title="Your tokens"
      intro={`For the command line and programs that act as you in ${accountName}.`}
      actions={<CreateToken onCreate={(name) => tokens.create.mutateAsync({ name })} />}
    >
      <QueryView query={tokens}>{(rows) => <TokenList tokens={rows} onRevoke={tokens.revoke.mutateAsync} />}</QueryView>
      <LoadMore query={tokens} />
    </Section>
  )
}

/** Another account of one's own, where the operator lets people make some. */
function NewAccount() {
  const { create } = useAccounts()
  const [name, setName] = useState('')
  return (
    <FormDialog
      title="New account"
      description="Projects and people of an account are apart from those of all others."
      submitLabel="Create"
      isComplete={name.trim() !== ''}
      trigger={<Button>New account</Button>}
      onOpen={() => setName('')}
      onSubmit={async () => {
        const made = await create.mutateAsync({ name: name.trim() })
        chooseAccount(made.account_id)
        showToast('Created, and chosen.')
      }}
    >
      <TextField label="Name" value={name} maxLength={200} onChange={(event) => setName(event.target.value)} />
    </FormDialog>
  )
}
