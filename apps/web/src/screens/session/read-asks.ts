/** Requests of the runtime come as they are; what a newer runtime adds or leaves out must not break the screen. */

export interface Question {
  readonly text: string
  readonly multiple: boolean
  readonly options: readonly { readonly label: string; readonly description: string }[]
}

export function readQuestions(value: unknown): Question[] {
  return records(value).map((row) => ({
    text: text(row.question),
    multiple: row.multiple === true,
    options: records(row.options)
      .map((option) => ({ label: text(option.label), description: text(option.description) }))
      .filter(({ label }) => label !== ''),
  }))
}

export function readPatterns(value: unknown): string[] {
  return Array.isArray(value) ? value.map(text).filter((pattern) => pattern !== '') : []
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter((row) => typeof row === 'object' && row !== null) : []
}
