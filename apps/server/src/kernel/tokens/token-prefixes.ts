/** Every credential family with a prefix. The log redacts by this list and authentication tells families apart by it. */
export const TOKEN_PREFIXES = ['svc_sa_', 'svc_pat_', 'svc_oat_', 'svc_ort_', 'svc_ocs_', 'svc_gw_'] as const

export type TokenPrefix = (typeof TOKEN_PREFIXES)[number]

export function readTokenPrefix(token: string): TokenPrefix | undefined {
  return TOKEN_PREFIXES.find((prefix) => token.startsWith(prefix))
}
