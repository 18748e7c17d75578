export type Severity = 'error' | 'warning'

export interface ManifestIssue {
  /** Dot path with list indexes, e.g. `triggers[1].cron`. */
  path: string
  message: string
  severity: Severity
  /** 1-based; present for every issue found in text. */
  line?: number
  column?: number
}

export type Segment = string | number
export type Path = readonly Segment[]

const SHOWN_SEGMENT_CHARS = 160

/** Long hostile keys are cut, so that many issues below one huge key stay small. */
export function formatPath(path: Path): string {
  let text = ''
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`
    else text += (text === '' ? '' : '.') + shorten(segment, SHOWN_SEGMENT_CHARS)
  }
  return text
}

export function shorten(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars)}…` : text
}
