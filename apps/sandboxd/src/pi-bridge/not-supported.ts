import { Refusal } from '../http/reply.ts'

/** What pi cannot do is said, never imitated. */
export function notSupported(message: string): Refusal {
  return new Refusal(501, {
    error: message,
    code: 'feature_not_supported',
    name: 'FeatureNotSupported',
    data: { message },
  })
}

export function notFound(message: string): Refusal {
  return new Refusal(404, { error: message, code: 'not_found', name: 'NotFoundError', data: { message } })
}
