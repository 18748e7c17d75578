import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { TextField } from '../ui/field.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'
import { List, Row } from '../ui/list.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'

interface TokenRow {
  readonly token_id: string
  readonly name: string
  readonly public_key: string
  readonly status: 'active' | 'revoked'
  readonly expires_at: string | null
  readonly last_used_at: string | null
}

interface TokenListProps {
  /** What these are called on the screen. */
  readonly noun?: Noun
  readonly tokens: readonly TokenRow[]
  readonly onRevoke: (tokenId: string) => Promise<unknown>
}

type Noun = 'token' | 'key'

/** Keys by name; their secret part was shown once and is nowhere to be read again. */
export function TokenList({ tokens, noun = 'token', onRevoke }: TokenListProps) {
  const active = tokens.filter(({ status }) => status === 'active')
  if (active.length === 0) {
    const use = {
      token: 'A token lets a program or the command line act in your name.',
      key: 'A key lets a program call models, and nothing else.',
    }
    return <EmptyState title={`No ${noun}s`}>{use[noun]}</EmptyState>
  }
  return (
    <List label={noun === 'key' ? 'Keys' : 'Tokens'}>
      {active.map((token) => (
        <Row key={token.token_id} title={token.name} note={<TokenNote token={token} />}>
          <ConfirmDialog
            title={`Revoke “${token.name}”?`}
            description="Whatever uses it is refused from this moment on. This cannot be undone."
            confirmLabel="Revoke"
            trigger={<Button size="small">Revoke</Button>}
            onConfirm={() => onRevoke(token.token_id)}
          />
        </Row>
      ))}
    </List>
  )
}

function TokenNote({ token }: { readonly token: TokenRow }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3">
      <code className="max-w-full truncate font-mono text-xs">{token.public_key}</code>
      <span>
        last used <RelativeTime at={token.last_used_at} />
      </span>
      {token.expires_at && (
        <Badge tone="warn">
          ends <RelativeTime at={token.expires_at} />
        </Badge>
      )}
    </span>
  )
}

interface CreateTokenProps {
  readonly noun?: Noun
  readonly onCreate: (name: string) => Promise<{ secret_key: string }>
}

/** Asks for a name, makes the token, and shows its secret this once. */
export function CreateToken({ noun = 'token', onCreate }: CreateTokenProps) {
  const [name, setName] = useState('')
  const [secret, setSecret] = useState<string>()
  return (
    <>
      <FormDialog
        title={`New ${noun}`}
        submitLabel="Create"
        isComplete={name.trim() !== ''}
        trigger={
          <Button look="primary" icon={<Plus className="size-4" aria-hidden />}>
            New {noun}
          </Button>
        }
        onOpen={() => setName('')}
        onSubmit={async () => setSecret((await onCreate(name.trim())).secret_key)}
      >
        <TextField
          label="Name"
          hint="What will use it, so that you know later"
          value={name}
          maxLength={100}
          onChange={(event) => setName(event.target.value)}
        />
      </FormDialog>
      <Dialog
        title={`Your new ${noun}`}
        description="Copy it now: it is not shown again."
        isOpen={secret !== undefined}
        onOpenChange={(isOpen) => !isOpen && setSecret(undefined)}
      >
        <code className="rounded-md bg-sunken p-3 font-mono text-xs break-all">{secret}</code>
        <div className="flex justify-end gap-2">
          <CopyButton text={secret ?? ''} />
          <Button size="small" look="primary" onClick={() => setSecret(undefined)}>
            Done
          </Button>
        </div>
      </Dialog>
    </>
  )
}
