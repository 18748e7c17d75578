/**
 * What was typed for an agent and not sent yet. It is kept in this tab alone, by session or project, until it is sent or
 * its writer signs out.
 */
export interface PromptDraft {
  readonly text: string
  readonly files: readonly DraftFile[]
}

/** A file that lies in the machine already. */
export interface DraftFile {
  readonly name: string
  readonly path: string
  readonly mime?: string | undefined
}

const prefix = 'svc.draft.'

export function readDraft(id: string): PromptDraft {
  const kept = sessionStorage.getItem(prefix + id)
  return kept === null ? { text: '', files: [] } : parseDraft(kept)
}

export function keepDraft(id: string, { text, files }: PromptDraft): void {
  if (text.trim() === '' && files.length === 0) {
    sessionStorage.removeItem(prefix + id)
    return
  }
  try {
    sessionStorage.setItem(prefix + id, JSON.stringify({ text, files }))
  } catch {
    // The storage is full: what is typed stays on the screen, and is lost only when it is left.
  }
}

export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key)
}

/** What another build kept, or somebody changed, is read as far as it is understood. */
export function parseDraft(kept: string): PromptDraft {
  try {
    const { text, files }: Record<string, unknown> = { ...JSON.parse(kept) }
    return { text: typeof text === 'string' ? text : '', files: Array.isArray(files) ? files.flatMap(readFile) : [] }
  } catch {
    // Not one of ours.
    return { text: '', files: [] }
  }
}

function readFile(value: unknown): DraftFile[] {
  if (typeof value !== 'object' || value === null) return []
  const { name, path, mime }: Record<string, unknown> = { ...value }
  if (typeof name !== 'string' || typeof path !== 'string') return []
  return [{ name, path, ...(typeof mime === 'string' ? { mime } : {}) }]
}
