import { Composer, type CST, type Document, Lexer, type ParsedNode, Parser, YAMLParseError } from 'yaml'
import { MAX_DEPTH } from './limits.ts'

export type YamlDocument = Document.Parsed<ParsedNode>

/** The parser's stack at the deepest nesting accepted: the document, its collections, and the value being read. */
const MAX_OPEN_TOKENS = MAX_DEPTH + 2

/**
 * The one document of a text, with its errors in `errors`. Throws for a text that is nested too deeply: the library
 * turns tokens into nodes recursively, and running out of stack there can end the process, which nobody can catch. Its
 * lexer and parser keep their own stack, so they find the depth of any text before anything recurses into it.
 */
export function readYamlDocument(text: string, options: { keepSourceTokens?: boolean } = {}): YamlDocument {
  const composer = new Composer<ParsedNode>({
    ...options,
    schema: 'core',
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  })
  const [document, second] = composer.compose(readTokens(text), true, text.length)
  // A composer that is told to always gives a document, even for an empty text.
  if (document === undefined) throw new YAMLParseError([0, 0], 'IMPOSSIBLE', 'the text holds no document')
  if (second !== undefined) document.errors.push(refuseSecond(second.range[0]))
  return document
}

function* readTokens(text: string): Generator<CST.Token, void> {
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    if (parser.stack.length > MAX_OPEN_TOKENS) throw refuseDepth(parser.offset - lexeme.length)
  }
  yield* parser.end()
}

function refuseDepth(offset: number): YAMLParseError {
  const message = `the document is nested deeper than ${MAX_DEPTH} levels`
  return new YAMLParseError([offset, offset + 1], 'RESOURCE_EXHAUSTION', message)
}

function refuseSecond(offset: number): YAMLParseError {
  const message = 'a second document begins here, and a manifest is one document: remove the --- line and what follows'
  return new YAMLParseError([offset, offset + 1], 'MULTIPLE_DOCS', message)
}
