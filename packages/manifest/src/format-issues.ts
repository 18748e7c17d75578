import type { ManifestIssue } from './issue.ts'

const RED = '\u001b[31m'
const YELLOW = '\u001b[33m'
const DIM = '\u001b[2m'
const RESET = '\u001b[0m'

/** One line per issue: severity, path, message and `(line L:C)` when known. */
export function formatIssues(issues: readonly ManifestIssue[], options: { color?: boolean } = {}): string {
  const color = options.color ?? true
  return issues.map((issue) => formatIssue(issue, color)).join('\n')
}

function formatIssue(issue: ManifestIssue, color: boolean): string {
  const paint = (code: string, text: string) => (color ? `${code}${text}${RESET}` : text)
  const severity = paint(issue.severity === 'error' ? RED : YELLOW, issue.severity)
  const where = issue.line === undefined ? '' : ` ${paint(DIM, `(line ${issue.line}:${issue.column ?? 1})`)}`
  const message = issue.message.replace(/\s*[\r\n]+\s*/g, ' ')
  return `${severity} ${issue.path}: ${message}${where}`
}
