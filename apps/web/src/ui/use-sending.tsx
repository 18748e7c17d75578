import { type ReactNode, useState } from 'react'
import { ProblemNotice } from './notice.tsx'

interface Sending {
  readonly isBusy: boolean
  /** Never rejects: what went wrong is `problem`, until the next try or until it is forgotten. */
  readonly send: (work: () => Promise<unknown>) => Promise<void>
  readonly forget: () => void
  readonly problem: ReactNode
}

/** Something that is sent by a button: busy while it is under way, and the server's sentence when it is refused. */
export function useSending(): Sending {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const forget = () => setError(undefined)
  const send = async (work: () => Promise<unknown>) => {
    setBusy(true)
    forget()
    try {
      await work()
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, send, forget, problem: error === undefined ? null : <ProblemNotice error={error} /> }
}
