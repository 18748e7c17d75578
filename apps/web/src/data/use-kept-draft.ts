import { useState } from 'react'

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/**
 * A form over something that others may save meanwhile. Untouched it follows what is saved; touched it keeps what was
 * typed, and `isOvertaken` says that somebody else saved since: then one of `keepMine` and `takeTheirs` goes on.
 */
export function useKeptDraft<T>(saved: T) {
  const [base, setBase] = useState(saved)
  const [draft, setDraft] = useState(saved)
  const isMoved = !isSame(saved, base)
  const isTouched = !isSame(draft, base)
  const takeTheirs = () => {
    setBase(saved)
    setDraft(saved)
  }
  // What was saved is what was typed, or nothing was: there is nothing to choose.
  const follows = isMoved && (!isTouched || isSame(draft, saved))
  if (follows) takeTheirs()
  return {
    draft: follows ? saved : draft,
    setDraft,
    isChanged: !follows && !isSame(draft, saved),
    isOvertaken: isMoved && !follows,
    /** Whether somebody else saved, by what was just read. */
    isOvertakenBy: (read: T) => !isSame(read, base),
    keepMine: () => setBase(saved),
    takeTheirs,
  }
}
