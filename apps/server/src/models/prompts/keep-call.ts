import type { Parts } from '../parts.ts'
import type { Snapshot } from '../snapshot.ts'
import { isObject, tryParse } from '../wire/json.ts'

/** Of a prompt or an answer; what is longer is kept up to here. */
const maxKeptBytes = 256 * 1024

export interface CallKeeper {
  asked(text: string): void
  answered(bytes: Buffer): void
  write(callId: string): void
}

/** Gathers what a call says, for a project that keeps it; undefined for all others. */
export function keepCall({ prompts, kernel }: Parts, snapshot: Snapshot): CallKeeper | undefined {
  if (snapshot.promptDays === null) return undefined
  const createdAt = kernel.clock.now()
  const pieces: Buffer[] = []
  let sizeBytes = 0
  let request: string | undefined
  return {
    asked(text) {
      // A piece of a long text would keep all of it in memory.
      request = text.length > maxKeptBytes ? Buffer.from(text.slice(0, maxKeptBytes + 1)).toString('utf8') : text
    },
    answered(bytes) {
      sizeBytes += bytes.length
      if (sizeBytes - bytes.length < maxKeptBytes) pieces.push(bytes)
    },
    write(callId) {
      const { accountId, projectId } = snapshot
      const response = pieces.length > 0 ? Buffer.concat(pieces).toString('utf8') : undefined
      prompts.keep({
        callId,
        accountId,
        projectId,
        request: request && toDocument(request),
        response: response && toDocument(response),
        createdAt,
      })
    },
  }
}

/** A document as it is; a stream, or what was cut, as text within one. */
function toDocument(text: string): string {
  const isWhole = text.length <= maxKeptBytes
  if (isWhole && isObject(tryParse(text))) return text
  return JSON.stringify({ body: text.slice(0, maxKeptBytes), is_truncated: !isWhole })
}
