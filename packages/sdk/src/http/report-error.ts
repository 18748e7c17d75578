import type { ErrorContext, SvcConfig } from '../config/svc-config.ts'
import { ApiError, isApiError } from '../errors/api-error.ts'
import { attempt } from '../wire/parse-json.ts'

/** Failures that the host expects and answers itself: status, then code. */
const QUIET =
  /^(\w+ (TIMEOUT|ABORTED|NO_SESSION)|503 request_deadline|501 feature_not_supported|409 (model_not_servable|provision_in_flight))$/

/** Runs a call and tells the host's error sink once of its failure, unless it is one that hosts expect. */
export async function reporting<T>(config: SvcConfig, context: ErrorContext | undefined, call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    const failure = toApiError(error)
    const isQuiet = context?.silent || QUIET.test(`${failure.status} ${failure.code}`)
    // A failing sink must not replace the failure it was told of.
    if (!isQuiet) attempt(() => config.onError?.(failure, context))
    throw failure
  }
}

/** The error itself, or an `ApiError` around anything else that was thrown. */
export const toApiError = (error: unknown): ApiError =>
  isApiError(error) ? error : new ApiError(error, { cause: error })
