import { useState } from 'react'

/** A text on its way: what the file held when it was read, and what stands in the editor. */
export interface Draft {
  readonly base: string
  readonly text: string
}

type DraftMap = ReadonlyMap<string, Draft>

/** After a save the file holds what was sent; what was typed while it was on its way is still to be saved. */
export function markSaved(drafts: DraftMap, path: string, sent: string): DraftMap {
  return new Map(drafts).set(path, { base: sent, text: drafts.get(path)?.text ?? sent })
}

/** What was typed into files and not saved yet. It stays while other files, other tabs or none are looked at. */
export function useDrafts() {
  const [drafts, setDrafts] = useState<DraftMap>(new Map())
  const isUnsaved = (path: string) => {
    const draft = drafts.get(path)
    return draft !== undefined && draft.text !== draft.base
  }
  const unsaved = [...drafts.keys()].filter(isUnsaved)
  return {
    unsaved,
    isUnsaved,
    find: (path: string) => drafts.get(path),
    noteSaved: (path: string, sent: string) => setDrafts((now) => markSaved(now, path, sent)),
    put: (path: string, draft: Draft) => setDrafts((now) => new Map(now).set(path, draft)),
    drop: (path: string) => setDrafts((now) => new Map([...now].filter(([key]) => key !== path))),
  }
}

export type Drafts = ReturnType<typeof useDrafts>
