/**
 * An amount in dollars: two decimals, three below a cent, four below a tenth of a cent.
 *
 * @example
 * formatCost(2.5) // '$2.50'
 * formatCost(0.0032) // '$0.003'
 */
export function formatCost(costUsd: number): string {
  if (!Number.isFinite(costUsd) || costUsd === 0) return '$0.00'
  const amount = Math.abs(costUsd)
  const decimals = amount < 0.001 ? 4 : amount < 0.01 ? 3 : 2
  return `${costUsd < 0 ? '-' : ''}$${amount.toFixed(decimals)}`
}

/**
 * A token count in short: as is below a thousand, then in thousands.
 *
 * @example
 * formatTokens(1234) // '1.2k'
 * formatTokens(12345) // '12k'
 */
export function formatTokens(count: number): string {
  if (!Number.isFinite(count)) return '0'
  if (count < 1000) return String(count)
  return count < 10_000 ? `${(count / 1000).toFixed(1)}k` : `${Math.round(count / 1000)}k`
}
