/** Long text in a view model is never longer than this. */
export const VIEW_TEXT_LIMIT_CHARS = 4000

/** The first `limit` characters, one fewer where the cut would split a surrogate pair. */
export function takeStart(text: string, limit: number): string {
  if (text.length <= limit) return text
  const last = text.charCodeAt(limit - 1)
  const splitsPair = last >= 0xd800 && last <= 0xdbff
  return text.slice(0, splitsPair ? limit - 1 : limit)
}

/** Text of at most `limit` characters; a longer one is cut and ends in `mark`. */
export function cutText(text: string, limit: number, mark: string): string {
  return text.length <= limit ? text : takeStart(text, limit - mark.length) + mark
}

/** Cuts text for a view model: at most 4000 characters, a longer one ends in a newline and `…`. */
export function cutViewText(text: string): string {
  return cutText(text, VIEW_TEXT_LIMIT_CHARS, '\n…')
}
