import { formatPath, type ManifestIssue } from './issue.ts'
import { isMap, type PlainMap } from './plain-data.ts'
import { agentFrontMatter } from './sections/agent-front-matter.ts'
import { CheckContext } from './shape/check-context.ts'
import { checkShape } from './shape/check-shape.ts'
import { parseYaml } from './text/parse-yaml.ts'
import { toSyntaxIssue } from './text/syntax-issue.ts'

export interface AgentFileCheck {
  valid: boolean
  /** Null after a syntax error; `{}` for a file without front matter. */
  frontMatter: PlainMap | null
  /** The prompt: everything after the front matter. */
  body: string
  issues: ManifestIssue[]
}

/** Checks the front matter of an agent's Markdown file. Lines are those of the file. Never throws. */
export function validateAgentFile(markdown: string): AgentFileCheck {
  const { yaml, body } = splitFrontMatter(markdown)
  try {
    const parsed = parseYaml(yaml)
    const context = new CheckContext(parsed.data, 'yaml')
    if (parsed.topLevel === 'other') context.error('the front matter must be a map of keys and values')
    checkShape(agentFrontMatter, parsed.data, context)
    const issues = context.findings.map((finding): ManifestIssue => {
      const { line, column } = parsed.locate(finding.at, finding.on)
      return { path: formatPath(finding.path), message: finding.message, severity: finding.severity, line, column }
    })
    const valid = !issues.some((issue) => issue.severity === 'error')
    return { valid, frontMatter: isMap(parsed.data) ? parsed.data : {}, body, issues }
  } catch (error) {
    return { valid: false, frontMatter: null, body, issues: [toSyntaxIssue(error, 'yaml')] }
  }
}

/** The front matter keeps an empty first line in place of `---`, so that its lines are those of the file. */
function splitFrontMatter(markdown: string): { yaml: string; body: string } {
  const opening = /^\uFEFF?---[ \t]*\r?\n/.exec(markdown)?.[0]
  if (opening === undefined) return { yaml: '', body: markdown }
  const closing = /^---[ \t]*$/m.exec(markdown.slice(opening.length).replaceAll('\r', ' '))
  if (closing === null) return { yaml: `\n${markdown.slice(opening.length)}`, body: '' }
  const end = opening.length + closing.index
  const rest = markdown.slice(end)
  return {
    yaml: `\n${markdown.slice(opening.length, end)}`,
    body: rest.slice(rest.indexOf('\n') === -1 ? rest.length : rest.indexOf('\n') + 1),
  }
}
