import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/**
 * @typedef {object} FoundImport
 * @property {string} module as written
 * @property {boolean} typeOnly erased before the program runs
 * @property {number} line
 */

/**
 * @typedef {object} ScannedFile
 * @property {FoundImport[]} imports
 * @property {{ name: string, line: number }[]} tags tagged templates, by the name of their tag
 */

/**
 * Every way in which a file can reach another: import, export from, import(), require() and types by import('x').
 *
 * @param {string} path
 * @returns {ScannedFile}
 */
export function scanFile(path) {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, false, kind)
  /** @type {ScannedFile} */
  const found = { imports: [], tags: [] }
  /** @param {ts.Node} node */
  const lineOf = (node) => source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1
  /** @param {ts.Node} node */
  const visit = (node) => {
    const one = readImport(node)
    if (one) found.imports.push({ ...one, line: lineOf(node) })
    const tag = readTag(node)
    if (tag) found.tags.push({ name: tag, line: lineOf(node) })
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/**
 * @param {string} folder
 * @returns {string[]} TypeScript sources below it, as paths relative to it
 */
export function listSources(folder, prefix = '') {
  return readdirSync(join(folder, prefix), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${prefix}${entry.name}`
      if (entry.isDirectory())
        return /^(node_modules|dist|peers|\..*)$/.test(entry.name) ? [] : listSources(folder, `${path}/`)
      return /\.(ts|tsx|mts)$/.test(entry.name) ? [path] : []
    })
}

/**
 * @param {ts.Node} node
 * @returns {{ module: string, typeOnly: boolean } | undefined}
 */
function readImport(node) {
  if (ts.isImportDeclaration(node)) {
    return named(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword)
  }
  if (ts.isExportDeclaration(node)) return named(node.moduleSpecifier, node.isTypeOnly)
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return named(node.argument.literal, true)
  if (!ts.isCallExpression(node)) return undefined
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword
  const isRequire = ts.isIdentifier(node.expression) && node.expression.text === 'require'
  return isImport || isRequire ? named(node.arguments[0], false) : undefined
}

/**
 * @param {ts.Node | undefined} specifier
 * @param {boolean} typeOnly
 */
const named = (specifier, typeOnly) =>
  specifier && ts.isStringLiteralLike(specifier) ? { module: specifier.text, typeOnly } : undefined

/** @param {ts.Node} node */
function readTag(node) {
  if (!ts.isTaggedTemplateExpression(node)) return undefined
  if (ts.isIdentifier(node.tag)) return node.tag.text
  return ts.isPropertyAccessExpression(node.tag) ? node.tag.name.text : undefined
}
