import { dropUndefined, firstText, isRecord, toRecord } from '../wire/read-value.ts'
import { ApiError } from './api-error.ts'
import { describeRefusal } from './describe-refusal.ts'
import { hasMark, markError } from './mark-error.ts'

/** What the service said about the payment problem. */
export interface BillingErrorDetail {
  readonly message: string
  readonly [field: string]: unknown
}

const PAYMENT_REQUIRED = 402

/**
 * The account cannot pay for the call, or its plan does not include it (402).
 *
 * @example
 * new BillingError(402, { code: 'entitlement_required', message: 'Custom roles need the rbac entitlement.' })
 */
export class BillingError extends ApiError {
  declare status: number
  declare code: string
  declare detail: BillingErrorDetail

  constructor(status: number, detail: unknown, message?: string) {
    const body = toRecord(detail)
    const text = firstText(message, body.message, body.error, detail) ?? 'Payment required'
    super(text, describeRefusal(status, body, text))
    markError(this, 'BillingError')
  }

  /** Recognises a `BillingError` of any copy of this package. */
  static override isInstance(value: unknown): value is BillingError {
    return hasMark(value, 'BillingError')
  }
}

/**
 * True for a `BillingError`, also one made by another copy of this package.
 *
 * @example
 * if (isBillingError(error)) showUpgrade(error.detail.message)
 */
export function isBillingError(value: unknown): value is BillingError {
  return BillingError.isInstance(value)
}

/**
 * A `BillingError` when the value carries status 402, on itself or on its `response`; otherwise the value unchanged.
 *
 * @example
 * parseBillingError({ status: 402, data: { message: 'No credits left' } }) // BillingError
 */
export function parseBillingError(error: unknown): unknown {
  if (!isRecord(error) || isBillingError(error)) return error
  const response = toRecord(error.response)
  if (error.status !== PAYMENT_REQUIRED && response.status !== PAYMENT_REQUIRED) return error
  const body = [error.detail, error.details, error.data, response.data].find(isRecord)
  const parsed = new BillingError(PAYMENT_REQUIRED, body, firstText(body?.message, error.message))
  return Object.assign(parsed, dropUndefined({ response: error.response }))
}

/**
 * A title and a sentence for people, or null when the error is not about billing.
 *
 * @example
 * formatBillingErrorForUI(new BillingError(402, { message: 'Insufficient credits' }))
 * // { alertTitle: 'You are out of credits', alertSubtitle: 'Add credits or upgrade the plan.' }
 */
export function formatBillingErrorForUI(error: unknown): { alertTitle: string; alertSubtitle: string } | null {
  const parsed = parseBillingError(error)
  if (!isBillingError(parsed)) return null
  const said = firstText(parsed.detail?.message)
  return /credit|balance|insufficient/i.test(`${said} ${parsed.message}`)
    ? { alertTitle: 'You are out of credits', alertSubtitle: 'Add credits or upgrade the plan.' }
    : {
        alertTitle: 'There is a billing problem',
        alertSubtitle: said ?? 'Check the plan and the payment method.',
      }
}
