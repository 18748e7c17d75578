import { formatPath, type ManifestIssue } from './issue.ts'
import type { ManifestFormat } from './manifest-file.ts'
import { parseText } from './parse-manifest.ts'
import { isMap, type PlainMap } from './plain-data.ts'
import { MANIFEST_SHAPES } from './sections/manifest.ts'
import { chooseVersion } from './sections/version.ts'
import { CheckContext, type Finding } from './shape/check-context.ts'
import { checkShape } from './shape/check-shape.ts'
import type { ParsedText } from './text/parsed-text.ts'
import { toSyntaxIssue } from './text/syntax-issue.ts'

export interface ManifestValidation {
  /** True when no issue is an error. */
  valid: boolean
  /** Null after a syntax error. */
  parsed: PlainMap | null
  issues: ManifestIssue[]
}

/**
 * Checks a manifest, given as text or as an object. Pure, and never throws. Issues found in text carry a position.
 *
 * @example validateManifest('svc_version: 1\n') // { valid: true, parsed: { svc_version: 1 }, issues: [] }
 */
export function validateManifest(input: unknown, format?: ManifestFormat): ManifestValidation {
  if (typeof input !== 'string') return validateObject(input, format ?? 'yaml')
  const read = format === undefined ? readDetected(input) : readAs(input, format)
  if ('issue' in read) return { valid: false, parsed: null, issues: [read.issue] }
  const findings = checkManifest(read.parsed.data, read.format)
  const issues = findings.map((finding) => ({ ...toIssue(finding), ...read.parsed.locate(finding.at, finding.on) }))
  return conclude(read.parsed.data, issues)
}

type Read = { parsed: ParsedText; format: ManifestFormat } | { issue: ManifestIssue }

function readAs(raw: string, format: ManifestFormat): Read {
  try {
    return { parsed: parseText(raw, format), format }
  } catch (error) {
    return { issue: toSyntaxIssue(error, format) }
  }
}

/** YAML, unless the text is no YAML map but is TOML. */
function readDetected(raw: string): Read {
  const yaml = readAs(raw, 'yaml')
  if ('parsed' in yaml && yaml.parsed.topLevel !== 'other') return yaml
  const toml = readAs(raw, 'toml')
  return 'parsed' in toml ? toml : yaml
}

function validateObject(input: unknown, format: ManifestFormat): ManifestValidation {
  const parsed = isMap(input) ? input : {}
  try {
    return conclude(parsed, checkManifest(parsed, format).map(toIssue))
  } catch (error) {
    // Text always gives plain data; an object handed in may have getters or proxies that throw when read.
    const reason = error instanceof Error ? error.message : 'unknown reason'
    return conclude(parsed, [{ path: '', message: `The object cannot be read: ${reason}`, severity: 'error' }])
  }
}

function checkManifest(data: PlainMap, format: ManifestFormat): Finding[] {
  const context = new CheckContext(data, format)
  const version = chooseVersion(data, context)
  checkShape(MANIFEST_SHAPES[version], data, context)
  return context.findings
}

function toIssue({ path, message, severity }: Finding): ManifestIssue {
  return { path: formatPath(path), message, severity }
}

function conclude(parsed: PlainMap, issues: ManifestIssue[]): ManifestValidation {
  return { valid: !issues.some((issue) => issue.severity === 'error'), parsed, issues }
}
