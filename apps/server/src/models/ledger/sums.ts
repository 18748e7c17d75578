/** What calls add up to. */
export interface Sums {
  readonly requests: number
  readonly errors: number
  readonly svc_micros: number
  readonly provider_micros: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cached_tokens: number
  readonly cache_write_tokens: number
}

export const noSums: Sums = {
  requests: 0,
  errors: 0,
  svc_micros: 0,
  provider_micros: 0,
  input_tokens: 0,
  output_tokens: 0,
  cached_tokens: 0,
  cache_write_tokens: 0,
}
