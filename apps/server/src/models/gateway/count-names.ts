/** Members that a call is priced by: a text that has one twice may mean something else to whoever reads it next. */
export const pricedNames = [
  'model',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'n',
  'stream',
  'service_tier',
  'background',
  'previous_response_id',
  'conversation',
]
/** Members that name what only the provider has. */
export const fileNames = ['file_id', 'file_url', 'file_uri', 'video_url']
/** How long a prompt stays in the provider's cache, where that has a price of its own. */
export const hourName = '1h'

const names = new Set([...pricedNames, ...fileNames, hourName])
const longest = Math.max(...[...names].map(({ length }) => length))

/**
 * How often each of them stands between two quotes in a text, whatever it means there. One pass from quote to quote: a
 * long prompt is not searched once for every name.
 */
export function countNames(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (let from = text.indexOf('"'); from >= 0; ) {
    const to = text.indexOf('"', from + 1)
    if (to - from - 1 <= longest && to >= 0) {
      const name = text.slice(from + 1, to)
      if (names.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    from = to
  }
  return counts
}
