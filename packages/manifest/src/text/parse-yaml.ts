import { type Document, isMap as isYamlMap, type ParsedNode, parseDocument, YAMLParseError } from 'yaml'
import { isMap } from '../plain-data.ts'
import { LineIndex } from './line-index.ts'
import { locateInYaml } from './locate-in-yaml.ts'
import type { ParsedText } from './parsed-text.ts'
import { toPlainData, YamlRefusal } from './to-plain-data.ts'

export type YamlDocument = Document.Parsed<ParsedNode>

/** Throws the parser's own error, with `linePos` set, for anything that is not one well-formed, bounded document. */
export function parseYaml(text: string): ParsedText {
  const lines = new LineIndex(text)
  const document = parseYamlDocument(text, lines)
  const data = convert(document, lines)
  const topLevel = isYamlMap(document.contents)
    ? 'map'
    : document.contents === null || data === null
      ? 'empty'
      : 'other'
  return { data: isMap(data) ? data : {}, topLevel, locate: locateInYaml(document, lines) }
}

/** The document tree alone. Duplicate keys are found by `toPlainData`, in linear time. */
export function parseYamlDocument(text: string, lines: LineIndex = new LineIndex(text)): YamlDocument {
  const document = parseDocument(text, {
    schema: 'core',
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  })
  const error = document.errors[0]
  if (error === undefined) return document
  if (error.code === 'RESOURCE_EXHAUSTION') error.message = 'the document is nested too deeply'
  error.linePos = toLinePos(lines, error.pos)
  throw error
}

function convert(document: YamlDocument, lines: LineIndex): unknown {
  try {
    return toPlainData(document.contents)
  } catch (error) {
    if (!(error instanceof YamlRefusal)) throw error
    const refused = new YAMLParseError([error.offset, error.offset + 1], error.code, error.message)
    refused.linePos = toLinePos(lines, refused.pos)
    throw refused
  }
}

function toLinePos(lines: LineIndex, [start, end]: [number, number]): NonNullable<YAMLParseError['linePos']> {
  const from = lines.positionAt(start)
  const to = lines.positionAt(end)
  return [
    { line: from.line, col: from.column },
    { line: to.line, col: to.column },
  ]
}
