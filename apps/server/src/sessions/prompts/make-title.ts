const maxLength = 60

/** A name from what was asked first: its first line, cut at a word. Undefined when there is no word in it. */
export function makeTitle(text: string | undefined): string | undefined {
  const line = text
    ?.split('\n')
    .map((row) =>
      row
        .replace(/^[\s#>*\-–—`]+/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .find((row) => /[\p{L}\p{N}]/u.test(row))
  if (line === undefined) return undefined
  const characters = [...line]
  if (characters.length <= maxLength) return line
  const cut = characters.slice(0, maxLength).join('')
  const word = cut.replace(/\s+\S*$/, '')
  return `${(word.length > maxLength / 2 ? word : cut).replace(/[\s,;:.–—-]+$/, '')}…`
}
