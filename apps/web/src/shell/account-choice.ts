import { useAccounts } from '@svc/sdk/react'
import { useSyncExternalStore } from 'react'

/** The account whose projects are shown. Kept in the browser; the server decides what it may see. */
const storageKey = 'svc.account'
const listeners = new Set<() => void>()

export function chooseAccount(accountId: string): void {
  localStorage.setItem(storageKey, accountId)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The chosen account; one that is gone gives way to the first. */
export function useChosenAccount() {
  const chosen = useSyncExternalStore(subscribe, () => localStorage.getItem(storageKey))
  const query = useAccounts()
  const accounts = query.data ?? []
  const account = accounts.find(({ account_id }) => account_id === chosen) ?? accounts[0]
  return { account, accounts, query }
}
