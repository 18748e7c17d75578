import type { EgressPolicy } from './delivery.ts'

interface Conflict {
  readonly identifier: string
  readonly host: string
  readonly header: string
}

/** Another secret that would be written into the same header towards the same host: only one of them could win. */
export function findConflict(
  policy: EgressPolicy,
  others: readonly { readonly identifier: string; readonly egressPolicy: EgressPolicy | null }[],
): Conflict | undefined {
  const wanted = new Set(listHeaders(policy).map(keyOf))
  for (const { identifier, egressPolicy } of others) {
    const taken = egressPolicy ? listHeaders(egressPolicy) : []
    const found = taken.find((header) => wanted.has(keyOf(header)))
    if (found) return { identifier, ...found }
  }
  return undefined
}

function listHeaders({ rules, inject }: EgressPolicy): { host: string; header: string }[] {
  return rules.flatMap((rule) => {
    const chosen = rule.inject ?? inject
    return chosen?.kind === 'header' ? [{ host: rule.host, header: chosen.name.toLowerCase() }] : []
  })
}

const keyOf = ({ host, header }: { host: string; header: string }) => `${host} ${header}`
