const dollarFormat = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 })
const countFormat = new Intl.NumberFormat('en')

export const formatDollars = (usd: number): string => dollarFormat.format(usd)
export const formatCount = (count: number): string => countFormat.format(count)
