import { isMap, isScalar, isSeq, type Pair, stringify, type YAMLMap, type YAMLSeq } from 'yaml'
import type { Path, Segment } from '../issue.ts'
import { keyText } from '../text/locate-in-yaml.ts'
import { readYamlDocument, type YamlDocument } from '../text/read-yaml-document.ts'
import { ManifestEditError } from './edit-error.ts'
import {
  commentBlockStart,
  cutLines,
  eolOf,
  indentLines,
  insertLines,
  isBlankLine,
  lineEnd,
  lineStart,
  splice,
} from './text-lines.ts'

/**
 * Edits of YAML text by replacing the smallest stretch of it: lines an edit is not about keep every byte. The caller
 * checks the result, so a layout these functions misjudge is refused, never written.
 */

/** Sets the value at a path; maps missing on the way are made. */
export function setInYaml(text: string, path: Path, value: unknown): string {
  const document = readYamlDocument(text, { keepSourceTokens: true })
  const { map, depth } = deepestMap(document, path)
  const key = path[depth]
  if (typeof key !== 'string') throw unsupported('a list entry is replaced by removing and appending it')
  const wrapped = path.slice(depth + 1).reduceRight<unknown>((inner, segment) => ({ [String(segment)]: inner }), value)
  if (map === undefined) return insertTopLevel(text, document, key, wrapped)
  const pair = map.items.find((candidate) => keyText(candidate) === key)
  if (pair !== undefined) return replaceValue(text, map, pair, wrapped)
  if (map.flow) return insertInFlow(text, map, renderFlowPair(key, wrapped))
  if (map === document.contents) return insertTopLevel(text, document, key, wrapped)
  return insertLines(
    text,
    contentLineEnd(text, map),
    indentLines(stringifyBlock({ [key]: wrapped }, indentStep(document, text)), columnOf(text, startOf(map))),
  )
}

export function appendToYamlList(text: string, path: Path, item: unknown): string {
  const document = readYamlDocument(text, { keepSourceTokens: true })
  const list = nodeAt(document, path)
  if (!isSeq(list) || list.items.length === 0) return setInYaml(text, path, [item])
  if (list.flow) return insertInFlow(text, list, renderFlow(item))
  const dash = dashOffsets(list)[0]
  if (dash === undefined) throw unsupported('the list has no entries with a leading dash')
  const block = stringifyBlock([item], indentStep(document, text))
  const at = contentLineEnd(text, list)
  const separated = list.items.length > 1 && areSeparated(text, dashOffsets(list)) ? eolOf(text) : ''
  return insertLines(text, at, separated + indentLines(block, columnOf(text, dash)))
}

/** Removes a pair or list entry, with the comment block directly above it. */
export function removeFromYaml(text: string, path: Path): string {
  const document = readYamlDocument(text, { keepSourceTokens: true })
  const parent = nodeAt(document, path.slice(0, -1))
  const last = path.at(-1)
  if (isSeq(parent) && typeof last === 'number') return removeItem(text, document, parent, last, path)
  if (!isMap(parent)) throw unsupported('nothing stands at this path')
  const index = parent.items.findIndex((pair) => keyText(pair) === last)
  return removeItem(text, document, parent, index, path)
}

function removeItem(
  text: string,
  document: YamlDocument,
  parent: YAMLMap | YAMLSeq,
  index: number,
  path: Path,
): string {
  if (parent.items.length === 1) {
    const owner = path.slice(0, -1)
    const cut = parent.flow || owner.length === 0 ? text : cutEntry(text, parent, index)
    if (parent.flow) return setInYaml(text, owner, isSeq(parent) ? [] : {})
    return emptyValue(cut, document, owner, isSeq(parent) ? '[]' : '{}')
  }
  if (!parent.flow) return cutEntry(text, parent, index)
  const starts = parent.items.map((item) => startOf(item))
  const ends = parent.items.map((item) => contentEnd(item))
  if (index === 0) return splice(text, starts[0] ?? 0, starts[1] ?? 0, '')
  return splice(text, ends[index - 1] ?? 0, ends[index] ?? 0, '')
}

function cutEntry(text: string, parent: YAMLMap | YAMLSeq, index: number): string {
  const marker = isSeq(parent) ? dashOffsets(parent)[index] : startOf(parent.items[index])
  if (marker === undefined) throw unsupported('the entry has no line of its own')
  const start = lineStart(text, marker)
  if (text.slice(start, marker).trim() !== '') throw unsupported('the entry shares its line with something else')
  let end = contentLineEnd(text, parent.items[index])
  const indent = columnOf(text, marker)
  while (end < text.length && new RegExp(`^[ ]{${indent + 1},}#`).test(text.slice(end, lineEnd(text, end)))) {
    end = lineEnd(text, end)
  }
  if (index === 0 && parent.items.length > 1 && isBlankLine(text, end)) end = lineEnd(text, end)
  return cutLines(text, commentBlockStart(text, start), end)
}

/** After its only entry is gone, a section says so: `triggers: []`. */
function emptyValue(cut: string, document: YamlDocument, path: Path, empty: string): string {
  const pair = pairAt(document, path)
  const keyEnd = isScalar(pair?.key) ? pair.key.range?.[1] : undefined
  if (keyEnd === undefined) throw unsupported('the section has no key')
  const colon = cut.indexOf(':', keyEnd)
  return splice(cut, colon + 1, colon + 1, ` ${empty}`)
}

function replaceValue(text: string, map: YAMLMap, pair: Pair, value: unknown): string {
  const node = pair.value
  const rendered = map.flow || isInline(value) ? renderFlow(value) : undefined
  const isInlineNode = isScalar(node) ? node.type !== 'BLOCK_LITERAL' && node.type !== 'BLOCK_FOLDED' : isFlow(node)
  const range = isScalar(node) || isMap(node) || isSeq(node) ? node.range : undefined
  const isPlain = range !== null && range !== undefined && range[0] < range[1] && isInlineNode
  if (rendered !== undefined && isPlain) return splice(text, range[0], range[1], keepQuotes(node, value) ?? rendered)
  const keyEnd = isScalar(pair.key) ? pair.key.range?.[1] : undefined
  if (keyEnd === undefined) throw unsupported('the key is not a plain word')
  const afterColon = text.indexOf(':', keyEnd) + 1
  // A missing value has its place after the spaces that belong to a comment.
  const isMissing = !range || range[0] === range[1]
  const end = isMissing ? afterColon : Math.max(afterColon, contentEnd(pair))
  const onKeyLine = commentAt(text, afterColon, end)
  if (rendered !== undefined) {
    const tail = text[end - 1] === '\n' ? eolOf(text) : ''
    return splice(text, afterColon, end, ` ${rendered}${onKeyLine}${tail}`)
  }
  const block = indentLines(stringifyBlock({ k: value }, 2), columnOf(text, startOf(pair)))
    .trimStart()
    .slice(2)
  const afterValue = commentAt(text, end)
  const body = (text[end - 1] === '\n' ? block : block.replace(/\n$/, '')).replace(
    '\n',
    () => `${onKeyLine}${afterValue}\n`,
  )
  const lines = eolOf(text) === '\n' ? body : body.replace(/\n/g, '\r\n')
  return splice(text, afterColon, end + afterValue.length, lines)
}

/** The comment that ends the line, with the space before it; empty when something else stands there. */
function commentAt(text: string, start: number, end: number = text.length): string {
  return /^[ \t]+#[^\r\n]*/.exec(text.slice(start, Math.min(end, lineEnd(text, start))))?.[0] ?? ''
}

function insertTopLevel(text: string, document: YamlDocument, key: string, value: unknown): string {
  const block = stringifyBlock({ [key]: value }, indentStep(document, text))
  const root = document.contents
  const first = isMap(root) ? root.items[0] : undefined
  if (isMap(root) && root.flow) return insertInFlow(text, root, renderFlowPair(key, value))
  if (first !== undefined && isInline(value)) {
    const version = isMap(root) ? (root.items.find((pair) => keyText(pair) === 'svc_version') ?? first) : first
    return insertLines(text, contentLineEnd(text, version), block)
  }
  const gap = /\n[ \t]*\r?\n/.test(text) && !/\n[ \t]*\r?\n$/.test(text) ? '\n' : ''
  return insertLines(text, text.length, gap + block)
}

function insertInFlow(text: string, node: YAMLMap | YAMLSeq, rendered: string): string {
  const range = node.range
  if (range === null || range === undefined) throw unsupported('the collection has no place')
  if (node.items.length === 0) {
    const [open, close] = isSeq(node) ? ['[', ']'] : ['{', '}']
    return splice(text, range[0], range[1], `${open}${rendered}${close}`)
  }
  const end = contentEnd(node.items.at(-1))
  const separator = /^\s*,/.exec(text.slice(end, range[1]))
  if (separator === null) return splice(text, end, end, `, ${rendered}`)
  return splice(text, end + separator[0].length, end + separator[0].length, ` ${rendered}`)
}

function deepestMap(document: YamlDocument, path: Path): { map: YAMLMap | undefined; depth: number } {
  let node: unknown = document.contents
  let found: { map: YAMLMap | undefined; depth: number } = { map: undefined, depth: 0 }
  for (const [depth, segment] of path.entries()) {
    if (isMap(node)) found = { map: node, depth }
    node = child(node, segment)
  }
  return found
}

function nodeAt(document: YamlDocument, path: Path): unknown {
  return path.reduce<unknown>(child, document.contents)
}

function child(node: unknown, segment: Segment): unknown {
  if (isSeq(node) && typeof segment === 'number') return node.items[segment]
  return isMap(node) ? node.items.find((pair) => keyText(pair) === segment)?.value : undefined
}

function pairAt(document: YamlDocument, path: Path): Pair | undefined {
  const parent = nodeAt(document, path.slice(0, -1))
  return isMap(parent) ? parent.items.find((pair) => keyText(pair) === path.at(-1)) : undefined
}

/** Offsets of the dashes of a block list. */
function dashOffsets(list: YAMLSeq): number[] {
  const token = list.srcToken
  if (token?.type !== 'block-seq') return []
  return token.items.flatMap((item) =>
    item.start.filter((part) => part.type === 'seq-item-ind').map((part) => part.offset),
  )
}

function areSeparated(text: string, dashes: readonly number[]): boolean {
  const second = dashes[1]
  if (second === undefined) return false
  const top = commentBlockStart(text, lineStart(text, second))
  return top > 0 && isBlankLine(text, lineStart(text, top - 1))
}

function startOf(node: unknown): number {
  if (isScalar(node) || isMap(node) || isSeq(node)) return node.range?.[0] ?? 0
  return isPairLike(node) ? startOf(node.key) : 0
}

/** End of the last character that belongs to a value, comments and blank lines after it left out. */
function contentEnd(node: unknown): number {
  if (isPairLike(node)) return Math.max(contentEnd(node.key), contentEnd(node.value))
  if ((isMap(node) || isSeq(node)) && !node.flow && node.items.length > 0) return contentEnd(node.items.at(-1))
  if (isScalar(node) || isMap(node) || isSeq(node)) return node.range?.[1] ?? 0
  return hasRange(node) ? node.range[1] : 0
}

function contentLineEnd(text: string, node: unknown): number {
  const end = contentEnd(node)
  return end > 0 && text[end - 1] === '\n' ? end : lineEnd(text, end)
}

function columnOf(text: string, offset: number): number {
  return offset - lineStart(text, offset)
}

/** How far this document indents a map inside a map. */
function indentStep(document: YamlDocument, text: string): number {
  const root = document.contents
  if (!isMap(root)) return 2
  for (const pair of root.items) {
    if (!isMap(pair.value) || pair.value.flow || pair.value.items.length === 0) continue
    const column = columnOf(text, startOf(pair.value))
    if (column > 0 && column <= 8) return column
  }
  return 2
}

function stringifyBlock(value: unknown, indent: number): string {
  return stringify(value, { indent, lineWidth: 0, aliasDuplicateObjects: false })
}

function renderFlow(value: unknown): string {
  const text = stringify(value, {
    lineWidth: 0,
    collectionStyle: 'flow',
    aliasDuplicateObjects: false,
    blockQuote: false,
    flowCollectionPadding: false,
  })
  return text.replace(/\n$/, '').replace(/\n\s*/g, ' ')
}

function renderFlowPair(key: string, value: unknown): string {
  return renderFlow({ [key]: value })
    .replace(/^\{|\}$/g, '')
    .trim()
}

/** A quoted text stays quoted the same way. */
function keepQuotes(node: unknown, value: unknown): string | undefined {
  if (!isScalar(node) || typeof value !== 'string') return undefined
  if (node.type === 'QUOTE_DOUBLE') return JSON.stringify(value)
  return node.type === 'QUOTE_SINGLE' ? `'${value.replaceAll("'", "''")}'` : undefined
}

function isInline(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\n')
  if (Array.isArray(value))
    return (
      value.length === 0 || (value.every((item) => typeof item === 'string' && item.length < 60) && value.length <= 4)
    )
  return typeof value !== 'object' || value === null || Object.keys(value).length === 0
}

function isFlow(node: unknown): boolean {
  return (isMap(node) || isSeq(node)) && node.flow === true
}

function isPairLike(node: unknown): node is Pair {
  return typeof node === 'object' && node !== null && 'key' in node && 'value' in node && !isScalar(node)
}

function hasRange(node: unknown): node is { range: [number, number, number] } {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)
}

function unsupported(reason: string): ManifestEditError {
  return new ManifestEditError(
    'layout_not_supported',
    `This YAML layout cannot be edited in place: ${reason}. Edit the file by hand.`,
  )
}
