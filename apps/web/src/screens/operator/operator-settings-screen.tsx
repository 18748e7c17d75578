import { useOperatorSettings } from '@svc/sdk/react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextArea } from '../../ui/field.tsx'
import { ProblemNotice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { ModelCatalog } from './model-catalog.tsx'

type Query = ReturnType<typeof useOperatorSettings>
type Settings = NonNullable<Query['data']>

export function OperatorSettingsScreen() {
  const settings = useOperatorSettings()
  return (
    <Page title="Settings" intro="What holds for the whole instance.">
      <QueryView query={settings}>
        {(data) => <SettingsForm key={JSON.stringify(data)} settings={data} onSave={settings.update.mutateAsync} />}
      </QueryView>
      <ModelCatalog />
    </Page>
  )
}

const entitlements = [
  { key: 'rbac', label: 'Roles of their own' },
  { key: 'auditAccess', label: 'Reading the audit log' },
  { key: 'branding', label: 'Branding' },
] as const

interface SettingsFormProps {
  readonly settings: Settings
  readonly onSave: Query['update']['mutateAsync']
}

function SettingsForm({ settings, onSave }: SettingsFormProps) {
  const [draft, setDraft] = useState(settings)
  const [error, setError] = useState<unknown>()
  const set = (part: Partial<Settings>) => setDraft({ ...draft, ...part })
  const toggle = (key: Settings['entitlements'][number]) =>
    set({
      entitlements: draft.entitlements.includes(key)
        ? draft.entitlements.filter((one) => one !== key)
        : [...draft.entitlements, key],
    })
  const save = (event: FormEvent) => {
    event.preventDefault()
    setError(undefined)
    const { is_claimed: _known, ...changes } = draft
    const redirects = changes.redirect_allow_list.map((line) => line.trim()).filter(Boolean)
    onSave({ ...changes, redirect_allow_list: redirects }).then(() => showToast('Saved.'), setError)
  }
  return (
    <form onSubmit={save} className="flex max-w-lg flex-col gap-2">
      <SelectField
        label="Who may sign up"
        value={draft.sign_up}
        onChange={(event) => set({ sign_up: event.target.value as Settings['sign_up'] })}
      >
        <option value="open">Everyone</option>
        <option value="invitation">People with an invitation</option>
        <option value="closed">Nobody</option>
      </SelectField>
      <SelectField
        label="Confirming mail addresses"
        value={draft.email_confirmation}
        hint="“When mail is sent” asks only where a mail server is set up."
        onChange={(event) => set({ email_confirmation: event.target.value as Settings['email_confirmation'] })}
      >
        <option value="auto">When mail is sent</option>
        <option value="on">Always</option>
        <option value="off">Never</option>
      </SelectField>
      <SelectField
        label="Who may create accounts"
        value={draft.account_creation}
        onChange={(event) => set({ account_creation: event.target.value as Settings['account_creation'] })}
      >
        <option value="everyone">Everyone</option>
        <option value="operators">Operators</option>
      </SelectField>
      <fieldset className="flex flex-col gap-1 pb-2">
        <legend className="mb-1 font-medium">Accounts have</legend>
        {entitlements.map(({ key, label }) => (
          <label key={key} className="flex items-center gap-2">
            <input type="checkbox" checked={draft.entitlements.includes(key)} onChange={() => toggle(key)} />
            {label}
          </label>
        ))}
      </fieldset>
      <TextArea
        label="Addresses that apps may send people back to"
        hint="One to a line"
        className="font-mono text-xs"
        value={draft.redirect_allow_list.join('\n')}
        onChange={(event) => set({ redirect_allow_list: event.target.value.split('\n') })}
      />
      {error !== undefined && <ProblemNotice error={error} />}
      <div>
        <Button look="primary" type="submit">
          Save
        </Button>
      </div>
    </form>
  )
}
