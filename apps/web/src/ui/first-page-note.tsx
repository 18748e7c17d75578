/** A list that shows what came first says so when there may be more. */
export function FirstPageNote({ count, hint }: { readonly count: number; readonly hint?: string }) {
  if (count < firstPageSize) return null
  return (
    <p className="text-ink-soft">
      These are the newest {firstPageSize}. {hint}
    </p>
  )
}

/** As many rows as the server gives without being asked for a number. */
const firstPageSize = 100
