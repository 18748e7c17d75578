import type { ErrorContext, SvcConfig } from '../config/svc-config.ts'
import type { ApiError } from '../errors/api-error.ts'

/** Failures that the host expects and answers itself. */
const QUIET =
  /^(\d* ?(TIMEOUT|ABORTED|NO_SESSION)|503 request_deadline|501 feature_not_supported|409 (model_not_servable|provision_in_flight))$/

/** Tells the host's error sink once, unless the failure is one that hosts expect. */
export function reportError(config: SvcConfig, error: ApiError, context?: ErrorContext): void {
  if (context?.silent || QUIET.test(`${error.status ?? ''} ${error.code}`.trim())) return
  try {
    config.onError?.(error, context)
  } catch {
    // A failing sink must not replace the failure it was told of.
  }
}
