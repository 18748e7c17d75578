import { unwrapError } from '../status/unwrap-error.ts'
import { firstText, toRecord, toText } from '../wire/read-value.ts'
import { type ApiError, isApiError } from './api-error.ts'

/** A route behind a feature flag that is off. */
export const FEATURE_DISABLED_CODE = 'feature_disabled'
/** The deployment does not offer the feature at all. */
export const FEATURE_NOT_SUPPORTED_CODE = 'feature_not_supported'
/** The chosen model cannot be served to this project. */
export const MODEL_NOT_SERVABLE_CODE = 'model_not_servable'
/** The first call with this idempotency key is still provisioning. */
export const PROVISION_IN_FLIGHT_CODE = 'provision_in_flight'

const USER_CANCEL =
  /\b(?:abort(?:ed)?|cancel(?:l?ed)?|interrupted|stopped) by (?:the )?user\b|\b(?:the )?user (?:has )?(?:abort|cancel|interrupt|stopp)/i
const TRANSPORT_FAILURE =
  /unreachable|time(?:d[ -]?)? ?out|gateway|\b50[234]\b|network|econn|enotfound|socket|connection|fetch failed|\bdns\b|offline|refused|unavailable/i

/**
 * True for a call that a feature flag refused (403 `feature_disabled`). Copies the flag's key onto `error.feature`.
 *
 * @example
 * if (isFeatureDisabledError(error)) showFlag(error.feature)
 */
export function isFeatureDisabledError(error: unknown): error is ApiError {
  if (!isApiError(error) || error.status !== 403 || error.code !== FEATURE_DISABLED_CODE) return false
  const feature = findFeature(error)
  // An error that cannot be changed is recognised all the same.
  if (feature) Reflect.set(error, 'feature', feature)
  return true
}

/**
 * The key of the flag that refused a call, or null when the error is not that one.
 *
 * @example
 * featureDisabledKey(new ApiError('off', { status: 403, code: 'feature_disabled', details: { feature: 'apps' } })) // 'apps'
 */
export function featureDisabledKey(error: unknown): string | null {
  return isFeatureDisabledError(error) ? (findFeature(error) ?? null) : null
}

/**
 * True when a person stopped the work: by the error's name, or by a text that says so and names no transport failure.
 *
 * @example
 * isAbortError({ name: 'MessageAbortedError', data: { message: 'Aborted' } }) // true
 * isAbortError('Aborted by user') // true
 * isAbortError('cancelled by user: 504 gateway timeout') // false
 */
export function isAbortError(error: unknown): boolean {
  if (/^(Abort|MessageAborted)Error$/.test(toText(toRecord(error).name))) return true
  const text = unwrapError(error)
  return USER_CANCEL.test(text) && !TRANSPORT_FAILURE.test(text)
}

/**
 * True when the runtime says that asking the model again may help.
 *
 * @example
 * isRetryableTurnError({ name: 'APIError', data: { message: 'busy', isRetryable: true } }) // true
 */
export function isRetryableTurnError(error: unknown): boolean {
  return toRecord(toRecord(error).data).isRetryable === true
}

const findFeature = ({ details, data, feature }: ApiError): string | undefined =>
  firstText(toRecord(details).feature, toRecord(data).feature, feature)
