import { callService } from '../client/build-calls.ts'
import { parseCall } from '../client/parse-calls.ts'
import type { SvcConfig } from '../config/svc-config.ts'
import { firstText, toRecord } from '../wire/read-value.ts'

const templates = /* @__PURE__ */ new Map<string, string | undefined>()

/** Asks a backend once where its previews are served; a failure is not remembered, and previews do without. */
export async function findPreviewTemplate(config: SvcConfig): Promise<void> {
  if (templates.has(config.backendUrl)) return
  const call = parseCall(['Gp/config'])
  const answer = await callService(() => config, call, [], { silent: true }).catch(() => undefined)
  if (answer) templates.set(config.backendUrl, firstText(toRecord(answer).preview_url_template))
}

/** What the backend answered, once it did. */
export function knownPreviewTemplate({ backendUrl }: SvcConfig): string | undefined {
  return templates.get(backendUrl)
}
