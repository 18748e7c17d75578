const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** "3 hours ago", with the exact time on hover and for machines. */
export function RelativeTime({ at }: { readonly at: string | null | undefined }) {
  if (!at) return <span className="text-ink-faint">never</span>
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {describe((Date.parse(at) - Date.now()) / 1000)}
    </time>
  )
}

function describe(seconds: number): string {
  const unit = units.find(([, size]) => Math.abs(seconds) >= size)
  return unit ? format.format(Math.round(seconds / unit[1]), unit[0]) : 'just now'
}
