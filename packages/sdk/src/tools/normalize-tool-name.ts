import { toText } from '../wire/read-value.ts'

/** One spelling for every name of a tool: no leading `oc-` or `oc_`, underscores instead of dashes. */
export function normalizeToolName(name: unknown): string {
  return toText(name)
    .replace(/^oc[-_]/, '')
    .replaceAll('-', '_')
}
