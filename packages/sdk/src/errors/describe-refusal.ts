import { firstText } from '../wire/read-value.ts'
import type { ApiErrorFields } from './api-error.ts'

/** What an error says whose `detail` is the body of the reply, always with a message in it. */
export function describeRefusal(status: number, body: Record<string, unknown>, text: string): ApiErrorFields {
  return {
    status,
    code: firstText(body.code, body.error_code) ?? String(status),
    detail: { ...body, message: firstText(body.message) ?? text },
  }
}
