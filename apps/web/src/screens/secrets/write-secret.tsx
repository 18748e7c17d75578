import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'

type Strategy = 'runtime' | 'denied'

interface WriteSecretProps {
  /** The one whose value is replaced; a new one without it. */
  readonly secret?: { readonly name: string; readonly identifier: string; readonly configured: boolean }
  readonly onWrite: (input: { name: string; value: string; strategy?: Strategy }) => Promise<unknown>
}

const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Adds a secret, or gives one a new value. */
export function WriteSecret({ secret, onWrite }: WriteSecretProps) {
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  const [strategy, setStrategy] = useState<Strategy>('runtime')
  const clear = () => {
    setName(secret?.name ?? '')
    setValue('')
  }
  const submit = async () => {
    await onWrite({ name, value, ...(secret ? {} : { strategy }) })
    setValue('')
    showToast(secret ? 'Sessions get the new value when they start next.' : 'Added.')
  }
  const isNameBad = name !== '' && !namePattern.test(name)
  const label = secret ? (secret.configured ? 'Rotate' : 'Set a value') : 'Add a secret'
  return (
    <FormDialog
      title={secret ? `${label}: ${secret.name}` : label}
      submitLabel={secret ? 'Save' : 'Add'}
      isComplete={name !== '' && value !== '' && !isNameBad}
      onOpen={clear}
      onSubmit={submit}
      trigger={
        secret ? (
          <Button size="small">{label}</Button>
        ) : (
          <Button look="primary" icon={<Plus className="size-4" aria-hidden />}>
            {label}
          </Button>
        )
      }
    >
      {!secret && (
        <TextField
          label="Name"
          value={name}
          autoComplete="off"
          spellCheck={false}
          hint="As the agent sees it, for example API_KEY"
          problem={isNameBad ? 'Letters, digits and _ only, and no digit first.' : undefined}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      <TextField
        label="Value"
        type="password"
        value={value}
        autoComplete="off"
        hint="Not shown again once it is saved"
        onChange={(event) => setValue(event.target.value)}
      />
      {!secret && (
        <SelectField
          label="Where agents find it"
          value={strategy}
          onChange={(event) => setStrategy(event.target.value as Strategy)}
        >
          <option value="runtime">In their environment</option>
          <option value="denied">Nowhere; kept for later</option>
        </SelectField>
      )}
    </FormDialog>
  )
}
