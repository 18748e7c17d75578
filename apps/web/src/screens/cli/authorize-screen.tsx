import { useAccountTokens, useIdentity } from '@svc/sdk/react'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { chooseAccount, useChosenAccount } from '../../shell/account-choice.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Notice, ProblemNotice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { handOver, isWaiting } from './hand-over.ts'

type Answer = 'open' | 'busy' | 'given' | 'refused'

/** A command line asks for a token of yours; it gets one only when you say so. */
export function AuthorizeScreen() {
  const { callback = '', state = '', label = '' } = useSearch({ from: '/cli/authorize' })
  const identity = useIdentity()
  const { account, accounts } = useChosenAccount()
  const tokens = useAccountTokens(account?.account_id, { mine: true })
  const [answer, setAnswer] = useState<Answer>('open')
  const [error, setError] = useState<unknown>()
  /** Why the token of a failed attempt could not be taken back. */
  const [leftOver, setLeftOver] = useState<unknown>()
  const machine = label.trim().slice(0, 60) || 'this machine'
  const allow = async () => {
    setAnswer('busy')
    setError(undefined)
    setLeftOver(undefined)
    try {
      const made = await tokens.create.mutateAsync({ name: `command line on ${machine}` })
      // A token that nobody received is of use to nobody.
      await handOver(callback, { state, token: made.secret_key }).catch(async (problem) => {
        await tokens.revoke.mutateAsync(made.token_id).catch(setLeftOver)
        throw problem
      })
      setAnswer('given')
    } catch (problem) {
      setError(problem)
      setAnswer('open')
    }
  }
  if (!isWaiting(callback, state)) {
    return (
      <Page title="No command line waits">
        <Notice tone="warn">
          <p className="font-medium">This address is not one that the command line opens.</p>
          <p className="mt-1">
            Run <code className="font-mono">svc login</code> and use the address it prints.
          </p>
        </Notice>
      </Page>
    )
  }
  if (answer === 'given' || answer === 'refused') {
    return (
      <Page title={answer === 'given' ? 'The command line is signed in' : 'Not allowed'}>
        <Notice tone={answer === 'given' ? 'good' : 'info'}>
          {answer === 'given'
            ? 'Go back to the command line; you can close this window. Its token is in your profile, where you can revoke it.'
            : 'The command line got nothing. You can close this window.'}
        </Notice>
      </Page>
    )
  }
  return (
    <Page title="Let the command line in?" intro={identity.data && `You are signed in as ${identity.data.email}.`}>
      <div className="flex max-w-lg flex-col gap-4 rounded-lg border border-line bg-surface p-6">
        <p>
          The command line on <strong className="break-words">{machine}</strong> asks to act as you. It can do what you
          can do in the account below, until you revoke its token.
        </p>
        <p className="text-ink-soft">Allow it only if you started it yourself, just now.</p>
        <SelectField
          label="Account"
          value={account?.account_id ?? ''}
          onChange={(event) => chooseAccount(event.target.value)}
        >
          {accounts.map(({ account_id, name }) => (
            <option key={account_id} value={account_id}>
              {name}
            </option>
          ))}
        </SelectField>
        {error !== undefined && <ProblemNotice error={error} />}
        {leftOver !== undefined && (
          <>
            <Notice tone="warn">
              A token was made that nobody received, and could not be revoked. Revoke it{' '}
              <Link to="/profile" className="font-medium underline">
                in your profile
              </Link>
              .
            </Notice>
            <ProblemNotice error={leftOver} />
          </>
        )}
        <div className="flex flex-wrap gap-2">
          <Button look="primary" isBusy={answer === 'busy'} disabled={!account} onClick={() => void allow()}>
            Allow
          </Button>
          <Button disabled={answer === 'busy'} onClick={() => setAnswer('refused')}>
            Do not allow
          </Button>
        </div>
      </div>
    </Page>
  )
}
