import type { Path } from '../issue.ts'
import { isMap, type PlainMap } from '../plain-data.ts'
import { scanToml, type TomlScan, type TomlStatement, type TomlValuePlace } from '../text/scan-toml.ts'
import { ManifestEditError } from './edit-error.ts'
import { renderTomlKey, renderTomlPairs, renderTomlValue } from './render-toml.ts'
import {
  commentBlockStart,
  cutLines,
  eolOf,
  insertLines,
  isBlankLine,
  lineEnd,
  lineStart,
  splice,
} from './text-lines.ts'

/** Edits of TOML text: whole blocks are appended or removed, single values replaced. The caller checks the result. */

/** Appends an entry to a list, as a `[[section]]` block or inside an inline list. */
export function appendToTomlList(text: string, path: Path, item: PlainMap): string {
  const inline = placeOf(scanToml(text), path)
  if (inline !== undefined && text[inline.valueStart] === '[')
    return insertInside(text, inline, renderTomlValue(item, false))
  return appendBlock(text, `[[${headerOf(path)}]]\n${renderTomlPairs(item)}`)
}

/** Sets a value. A map that is not there yet becomes a `[table]` block when it stands right below a section. */
export function setInToml(text: string, path: Path, value: unknown): string {
  const scan = scanToml(text)
  const exact = placeOf(scan, path)
  if (exact !== undefined) return splice(text, exact.valueStart, exact.valueEnd, withEol(text, renderTomlValue(value)))
  if (scan.statements.some((statement) => startsWith(statement.path, path)))
    return setInToml(cutAll(text, path), path, value)
  const parent = path.slice(0, -1)
  const key = renderTomlKey(String(path.at(-1)))
  const inlineParent = placeOf(scan, parent)
  if (inlineParent !== undefined && parent.length > 0) {
    return insertInside(text, inlineParent, `${key} = ${renderTomlValue(value, false)}`)
  }
  if (parent.length === 0) return setAtTop(text, scan, key, value)
  const header = scan.statements.findIndex((statement) => statement.kind !== 'pair' && isSame(statement.path, parent))
  if (header !== -1 && !(isMap(value) && path.length === 2)) {
    return insertLines(text, lastPairEnd(text, scan, header), `${key} = ${renderTomlValue(value)}\n`)
  }
  if (path.some((segment) => typeof segment === 'number')) throw unsupported('the entry has no table of its own')
  if (isMap(value)) return appendBlock(text, `[${headerOf(path)}]\n${renderTomlPairs(value)}`)
  return appendBlock(text, `[${headerOf(parent)}]\n${key} = ${renderTomlValue(value)}\n`)
}

/** Removes everything at a path, with the comment blocks directly above it. */
export function removeFromToml(text: string, path: Path): string {
  const scan = scanToml(text)
  const inner = scan.inner.find((place) => isSame(place.path, path))
  return inner === undefined ? cutAll(text, path) : removeInside(text, scan, inner)
}

function cutAll(text: string, path: Path): string {
  const { statements } = scanToml(text)
  let result = text
  for (let index = statements.length - 1; index >= 0; index -= 1) {
    const statement = statements[index]
    if (statement === undefined || !startsWith(statement.path, path)) continue
    const owner = statement.kind === 'pair' ? statements[statement.header] : undefined
    if (owner !== undefined && startsWith(owner.path, path)) continue
    const end = statement.kind === 'pair' ? lineEnd(result, statement.valueEnd) : blockEnd(result, statements, index)
    result = cutLines(result, commentBlockStart(result, lineStart(result, statement.start)), end)
  }
  if (result === text) throw unsupported('nothing stands at this path')
  return result
}

/** Comments right after the last pair belong to the block, unless the next header follows them directly. */
function blockEnd(text: string, statements: readonly TomlStatement[], header: number): number {
  const lastPair = statements.findLast((statement) => statement.kind === 'pair' && statement.header === header)
  const end = lineEnd(text, (lastPair ?? statements[header])?.valueEnd ?? 0)
  let after = end
  while (after < text.length && /^[ \t]*#/.test(text.slice(after, lineEnd(text, after)))) after = lineEnd(text, after)
  return after >= text.length || isBlankLine(text, after) ? after : end
}

function appendBlock(text: string, block: string): string {
  const gap = text.trim() === '' || /\n[ \t]*\r?\n$/.test(text) ? '' : '\n'
  return insertLines(text, text.length, gap + block)
}

function setAtTop(text: string, scan: TomlScan, key: string, value: unknown): string {
  if (isMap(value)) return appendBlock(text, `[${key}]\n${renderTomlPairs(value)}`)
  const line = `${key} = ${renderTomlValue(value)}\n`
  const top = scan.statements.filter((statement) => statement.kind === 'pair' && statement.header === -1)
  const after = top.find((statement) => statement.path[0] === 'svc_version') ?? top.at(-1)
  if (after !== undefined) return insertLines(text, lineEnd(text, after.valueEnd), line)
  const first = scan.statements[0]
  if (first === undefined) return insertLines(text, text.length, line)
  return insertLines(text, commentBlockStart(text, lineStart(text, first.start)), `${line}\n`)
}

function lastPairEnd(text: string, scan: TomlScan, header: number): number {
  const last = scan.statements.findLast((statement) => statement.kind === 'pair' && statement.header === header)
  return lineEnd(text, (last ?? scan.statements[header])?.valueEnd ?? 0)
}

/** Adds an item or pair at the end of an inline list or table. */
function insertInside(text: string, place: TomlValuePlace, rendered: string): string {
  const close = place.valueEnd - 1
  const body = text.slice(place.valueStart + 1, close)
  if (!/[\]}]/.test(text[close] ?? '')) throw unsupported('the value is no inline list or table')
  const trimmedEnd = place.valueStart + 1 + body.trimEnd().length
  if (body.trim() === '') {
    const padded = text[close] === '}' ? `{ ${rendered} }` : `[${rendered}]`
    return splice(text, place.valueStart, place.valueEnd, padded)
  }
  return splice(text, trimmedEnd, trimmedEnd, body.trimEnd().endsWith(',') ? ` ${rendered}` : `, ${rendered}`)
}

function removeInside(text: string, scan: TomlScan, place: TomlValuePlace): string {
  const parent = place.path.slice(0, -1)
  const siblings = scan.inner.filter(({ path }) => path.length === place.path.length && startsWith(path, parent))
  const index = siblings.indexOf(place)
  const previous = siblings[index - 1]
  const next = siblings[index + 1]
  if (previous !== undefined) return splice(text, previous.valueEnd, place.valueEnd, '')
  return splice(text, place.keyStart, next?.keyStart ?? place.valueEnd, '')
}

function placeOf(scan: TomlScan, path: Path): TomlValuePlace | undefined {
  const isHere = (place: TomlValuePlace) => isSame(place.path, path)
  return scan.statements.find((statement) => statement.kind === 'pair' && isHere(statement)) ?? scan.inner.find(isHere)
}

function headerOf(path: Path): string {
  return path.map((segment) => renderTomlKey(String(segment))).join('.')
}

function isSame(left: Path, right: Path): boolean {
  return left.length === right.length && startsWith(left, right)
}

function startsWith(path: Path, prefix: Path): boolean {
  return path.length >= prefix.length && prefix.every((segment, index) => path[index] === segment)
}

function withEol(text: string, rendered: string): string {
  return rendered.replace(/\n/g, eolOf(text))
}

function unsupported(reason: string): ManifestEditError {
  return new ManifestEditError(
    'layout_not_supported',
    `This TOML layout cannot be edited in place: ${reason}. Edit the file by hand.`,
  )
}
