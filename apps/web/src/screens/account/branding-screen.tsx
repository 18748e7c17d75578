import { useBranding } from '@svc/sdk/react'
import { useParams } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { List } from '../../ui/list.tsx'
import { Notice, ProblemNotice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Section } from '../../ui/section.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { BrandingAsset, brandingAssets } from './branding-asset.tsx'

/** The name and the pictures that people of this account see. */
export function BrandingScreen() {
  const { accountId } = useParams({ from: '/accounts/$accountId' })
  const branding = useBranding(accountId)
  return (
    <Page title="Branding" intro="The name and the pictures that people of this account see.">
      <QueryView query={branding}>
        {({ branding: current, entitled }) => (
          <>
            {!entitled && (
              <Notice tone="warn">The operator of this instance has not turned branding on for accounts.</Notice>
            )}
            <NameForm
              key={current.app_name}
              name={current.app_name ?? ''}
              isOff={!entitled}
              onSave={(name) => branding.update.mutateAsync({ app_name: name === '' ? null : name })}
            />
            <Section title="Pictures">
              <List label="Pictures">
                {brandingAssets.map((asset) => (
                  <BrandingAsset
                    key={asset.kind}
                    asset={asset}
                    url={current[`${asset.kind}_url`]}
                    isOff={!entitled}
                    branding={branding}
                  />
                ))}
              </List>
            </Section>
            <div>
              <ConfirmDialog
                title="Go back to the product's own look?"
                description="The name and all pictures of this account are removed."
                confirmLabel="Remove them"
                trigger={<Button look="danger">Remove all branding</Button>}
                onConfirm={() => branding.reset.mutateAsync(undefined)}
              />
            </div>
          </>
        )}
      </QueryView>
    </Page>
  )
}

interface NameFormProps {
  readonly name: string
  readonly isOff: boolean
  readonly onSave: (name: string) => Promise<unknown>
}

function NameForm({ name, isOff, onSave }: NameFormProps) {
  const [text, setText] = useState(name)
  const [error, setError] = useState<unknown>()
  const save = (event: FormEvent) => {
    event.preventDefault()
    setError(undefined)
    onSave(text.trim()).then(() => showToast('Saved.'), setError)
  }
  return (
    <form onSubmit={save} className="flex max-w-lg flex-col gap-2">
      <TextField
        label="Name of the product"
        value={text}
        maxLength={60}
        disabled={isOff}
        onChange={(event) => setText(event.target.value)}
      />
      {error !== undefined && <ProblemNotice error={error} />}
      <div>
        <Button look="primary" type="submit" disabled={isOff || text === name}>
          Save
        </Button>
      </div>
    </form>
  )
}
