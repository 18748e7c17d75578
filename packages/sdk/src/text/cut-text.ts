/** Long text in a view model is never longer than this. */
export const VIEW_TEXT_LIMIT_CHARS = 4000

/** The first `limit` characters, one fewer where the cut would split a surrogate pair. */
export function takeStart(text: string, limit: number): string {
  return text.length <= limit ? text : text.slice(0, limit).replace(/[\ud800-\udbff]$/, '')
}

/** Text of at most `limit` characters; a longer one is cut and ends in `mark`. */
export function cutText(text: string, limit: number, mark: string): string {
  return text.length <= limit ? text : takeStart(text, limit - mark.length) + mark
}

/** Cuts text for a view model: at most 4000 characters, a longer one ends in a newline and `…`. */
export function cutViewText(text: string): string
export function cutViewText(text: string | undefined): string | undefined
export function cutViewText(text: string | undefined): string | undefined {
  return text && cutText(text, VIEW_TEXT_LIMIT_CHARS, '\n…')
}
