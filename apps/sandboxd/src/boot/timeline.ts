/** When each step of the boot was reached, in milliseconds since the process began, or since somebody claimed it. */
export interface Timeline {
  mark(label: string): void
  list(): readonly { label: string; atMs: number }[]
}

export function createTimeline(sinceMs = 0): Timeline {
  const marks: { label: string; atMs: number }[] = []
  return {
    mark(label) {
      // A runtime that restarts for days must not grow the list.
      if (marks.length < 200) marks.push({ label, atMs: Math.round(performance.now() - sinceMs) })
    },
    list: () => marks,
  }
}
