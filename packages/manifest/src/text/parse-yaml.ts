import { isMap as isYamlMap, YAMLParseError } from 'yaml'
import { isMap } from '../plain-data.ts'
import { LineIndex } from './line-index.ts'
import { locateInYaml } from './locate-in-yaml.ts'
import type { ParsedText } from './parsed-text.ts'
import { readYamlDocument, type YamlDocument } from './read-yaml-document.ts'
import { toPlainData, YamlRefusal } from './to-plain-data.ts'

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
function parseYamlDocument(text: string, lines: LineIndex): YamlDocument {
  try {
    const document = readYamlDocument(text)
    const error = document.errors[0]
    if (error === undefined) return document
    throw error
  } catch (error) {
    if (error instanceof YAMLParseError) error.linePos = toLinePos(lines, error.pos)
    throw error
  }
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
