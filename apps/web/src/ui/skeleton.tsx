/** Stands where rows will be, with their height, so that nothing jumps when they come. */
export function SkeletonRows({ rows = 4, height = 'h-12' }: { readonly rows?: number; readonly height?: string }) {
  return (
    <div aria-busy="true" aria-label="Loading" role="status" className="flex flex-col gap-2">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: these rows have no other name and never move
        <div key={row} className={`${height} animate-pulse rounded-md bg-sunken`} />
      ))}
    </div>
  )
}
