/** The opening tags of an XML document in order, and the text of its style elements, joined as a browser joins it. */
export interface Markup {
  readonly tags: readonly Tag[]
  readonly styles: string
}

export interface Tag {
  readonly name: string
  /** Values with their character references resolved. */
  readonly attributes: ReadonlyMap<string, string>
}

const maxTags = 50_000
const nameText = '[A-Za-z_][\\w.-]*(?::[A-Za-z_][\\w.-]*)?'
const opening = new RegExp(`<(${nameText})((?:\\s+${nameText}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/?)>`, 'y')
const attribute = new RegExp(`(${nameText})\\s*=\\s*("[^"<]*"|'[^'<]*')`, 'g')
const closing = new RegExp(`</(${nameText})\\s*>`, 'y')
const section = /<!\[CDATA\[([\s\S]*?)\]\]>/y
const declaration = /<\?xml\s[^?<>]*\?>/y
/** Without an internal subset nothing is defined in it. */
const doctype = /<!DOCTYPE\s+svg(?:\s+PUBLIC\s+"[^"<>[]*"\s+"[^"<>[]*"|\s+SYSTEM\s+"[^"<>[]*")?\s*>/y
const characters = /[^<]+/y

/**
 * Reads well-formed XML of the plainest kind and gives undefined for anything else: no entities of its own, no
 * processing instructions, every element closed. A reader that forgives nothing cannot be talked into seeing another
 * document than a browser does.
 */
export function readMarkup(text: string): Markup | undefined {
  const tags: Tag[] = []
  const styles: string[] = []
  const open: string[] = []
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (!match) return undefined
    at = pattern.lastIndex
    return match
  }

  while (at < text.length) {
    const isOutside = open.length === 0
    const plain = take(characters)
    if (plain) {
      if (isOutside ? plain[0].trim() !== '' : resolve(plain[0]) === undefined) return undefined
      if (isStyle(open.at(-1))) styles.push(resolve(plain[0]) ?? '')
      continue
    }
    const afterComment = skipComment(text, at)
    if (afterComment !== undefined) {
      at = afterComment
      continue
    }
    if (isOutside && tags.length === 0 && (take(declaration) || take(doctype))) continue
    const cdata = isOutside ? undefined : take(section)
    if (cdata) {
      if (!isStyle(open.at(-1))) return undefined
      styles.push(cdata[1] ?? '')
      continue
    }
    const end = take(closing)
    if (end) {
      if (open.pop() !== end[1]) return undefined
      continue
    }
    const begin = take(opening)
    if (!begin || (isOutside && tags.length > 0) || tags.length >= maxTags) return undefined
    const [, name = '', list = '', isEmpty] = begin
    const attributes = readAttributes(list)
    if (!attributes) return undefined
    tags.push({ name, attributes })
    if (isEmpty === '') open.push(name)
  }
  return open.length === 0 && tags.length > 0 ? { tags, styles: styles.join('') } : undefined
}

function skipComment(text: string, at: number): number | undefined {
  if (!text.startsWith('<!--', at)) return undefined
  const end = text.indexOf('--', at + 4)
  return end !== -1 && text.startsWith('-->', end) ? end + 3 : undefined
}

const isStyle = (name: string | undefined) => name !== undefined && /(^|:)style$/i.test(name)

function readAttributes(list: string): Map<string, string> | undefined {
  const attributes = new Map<string, string>()
  for (const [, name = '', quoted = ''] of list.matchAll(attribute)) {
    const value = resolve(quoted.slice(1, -1))
    if (value === undefined || attributes.has(name)) return undefined
    attributes.set(name, value)
  }
  return attributes
}

const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Undefined when a reference is not one of XML's own. */
function resolve(text: string): string | undefined {
  if (!text.includes('&')) return text
  let isKnown = true
  const resolved = text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));|&/gi, (_, decimal, hexadecimal, name) => {
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
    const character = name === undefined ? fromCode(code) : named[name]
    if (character === undefined) isKnown = false
    return character ?? ''
  })
  return isKnown ? resolved : undefined
}

function fromCode(code: number): string | undefined {
  return code >= 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined
}
