import { auth } from '@svc/sdk'
import { type FormEvent, useState } from 'react'
import { getToken } from '../../session/access-token.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/section.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSending } from '../../ui/use-sending.tsx'

const leastCharacters = 8

/** A new password, for whoever knows the old one. Every other session ends with it. */
export function ChangePassword({ email }: { readonly email: string }) {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const { isBusy, send, problem } = useSending()
  const save = (event: FormEvent) => {
    event.preventDefault()
    return send(async () => {
      // Somebody at an unlocked screen must not be able to lock its owner out.
      await auth.signInWithPassword({ email, password: current })
      await auth.updatePassword({ password: next }, await getToken())
      setCurrent('')
      setNext('')
      showToast('Changed. Every other session of yours has ended.')
    })
  }
  return (
    <Section title="Password" intro="Every other session of yours ends with a new one. Tokens stay.">
      <form onSubmit={save} className="flex max-w-lg flex-col gap-3">
        {/* For the browser's own store of passwords. */}
        <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
        <TextField
          label="Password now"
          type="password"
          autoComplete="current-password"
          value={current}
          onChange={(event) => setCurrent(event.target.value)}
        />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          hint="At least 8 characters. A few unrelated words are good."
          value={next}
          onChange={(event) => setNext(event.target.value)}
        />
        {problem}
        <div className="flex flex-wrap items-center gap-3">
          <Button
            look="primary"
            type="submit"
            isBusy={isBusy}
            disabled={current === '' || next.length < leastCharacters}
          >
            Change the password
          </Button>
          <a href="/password/reset" className="text-accent underline">
            Forgot it, or never had one?
          </a>
        </div>
      </form>
    </Section>
  )
}
