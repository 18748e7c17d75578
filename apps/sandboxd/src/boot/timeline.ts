/** When each step of the boot was reached, in milliseconds since the process began, or since somebody claimed it. */
export interface Timeline {
  mark(label: string): void
  list(): readonly { label: string; atMs: number }[]
  /** Resolves with the next step, or when the signal says that nobody waits any longer. */
  next(signal: AbortSignal): Promise<void>
}

export function createTimeline(sinceMs = 0): Timeline {
  const marks: { label: string; atMs: number }[] = []
  const waiting = new Set<() => void>()
  return {
    mark(label) {
      // A runtime that restarts for days must not grow the list.
      if (marks.length < 200) marks.push({ label, atMs: Math.round(performance.now() - sinceMs) })
      for (const tell of [...waiting]) tell()
    },
    list: () => marks,
    next: (signal) =>
      new Promise((resolve) => {
        const tell = () => {
          waiting.delete(tell)
          signal.removeEventListener('abort', tell)
          resolve()
        }
        waiting.add(tell)
        signal.addEventListener('abort', tell)
        if (signal.aborted) tell()
      }),
  }
}
