import { useBlocker } from '@tanstack/react-router'
import { useState } from 'react'

/** A text on its way: what the file held when it was read, and what stands in the editor. */
export interface Draft {
  readonly base: string
  readonly text: string
}

/**
 * What was typed into files and not saved yet. It stays while other files, other tabs or none are looked at; leaving
 * the session or closing the window with something unsaved asks first.
 */
export function useDrafts() {
  const [drafts, setDrafts] = useState<ReadonlyMap<string, Draft>>(new Map())
  const isUnsaved = (path: string) => {
    const draft = drafts.get(path)
    return draft !== undefined && draft.text !== draft.base
  }
  const unsaved = [...drafts.keys()].filter(isUnsaved)
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => unsaved.length > 0 && current.pathname !== next.pathname,
    enableBeforeUnload: () => unsaved.length > 0,
    withResolver: true,
  })
  return {
    unsaved,
    isUnsaved,
    find: (path: string) => drafts.get(path),
    put: (path: string, draft: Draft) => setDrafts((now) => new Map(now).set(path, draft)),
    drop: (path: string) => setDrafts((now) => new Map([...now].filter(([key]) => key !== path))),
    leaving,
  }
}

export type Drafts = ReturnType<typeof useDrafts>
