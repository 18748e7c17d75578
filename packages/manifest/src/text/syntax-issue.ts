import { TomlError } from 'smol-toml'
import { YAMLParseError } from 'yaml'
import type { ManifestIssue } from '../issue.ts'
import type { ManifestFormat } from '../manifest-file.ts'

/** The one issue of a document that cannot be read. */
export function toSyntaxIssue(error: unknown, format: ManifestFormat): ManifestIssue {
  return { path: `<${format}>`, message: `Syntax error: ${reasonOf(error)}`, severity: 'error', ...positionOf(error) }
}

function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return 'the document is nested too deeply'
  const message = error instanceof Error ? error.message : String(error)
  const firstLine = message.split('\n')[0] ?? ''
  return firstLine.replace(/^Invalid TOML document: /, '').slice(0, 300)
}

function positionOf(error: unknown): { line: number; column: number } {
  if (error instanceof YAMLParseError && error.linePos !== undefined) {
    return { line: error.linePos[0].line, column: error.linePos[0].col }
  }
  if (error instanceof TomlError) return { line: error.line, column: error.column }
  return { line: 1, column: 1 }
}
