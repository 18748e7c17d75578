import { createHash } from 'node:crypto'
import { join } from 'node:path'
import ts from 'typescript'

const source = join(import.meta.dirname, '..', '..', 'packages', 'sdk', 'src')
const entries = ['index', 'react', 'server', 'event-stream', 'message-queue', 'session-state']

/**
 * Every public name of the client library with its type, as text: a change here is a change of the public surface. The
 * shapes of the wire are left out, because the contract holds them.
 */
export function renderPublicTypes(): string {
  const files = entries.map((name) => join(source, `${name}.ts`))
  const program = ts.createProgram(files, {
    allowImportingTsExtensions: true,
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
  })
  const checker = program.getTypeChecker()
  const lines: string[] = []
  for (const [at, name] of entries.entries()) {
    const file = program.getSourceFile(files[at] ?? '')
    const module = file && checker.getSymbolAtLocation(file)
    lines.push(`# ${name}`)
    const exports = module ? checker.getExportsOfModule(module) : []
    for (const exported of exports.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
      const declaration = symbol.declarations?.[0]
      if (!declaration || declaration.getSourceFile().fileName.includes('/generated/')) continue
      lines.push(`${exported.name}: ${printType(checker, symbol, declaration)}`)
    }
  }
  return `${lines.join('\n')}\n`
}

function printType(checker: ts.TypeChecker, symbol: ts.Symbol, declaration: ts.Declaration): string {
  if (ts.isFunctionDeclaration(declaration)) return printFunction(checker, symbol)
  if (ts.isClassDeclaration(declaration)) return declaration.members.map(printHead).join('; ')
  if (!ts.isVariableDeclaration(declaration)) return stripComments(declaration.getText())
  return shorten(checker.typeToString(checker.getTypeOfSymbol(symbol), undefined, ts.TypeFormatFlags.NoTruncation))
}

function printFunction(checker: ts.TypeChecker, symbol: ts.Symbol): string {
  const written = (symbol.declarations ?? []).filter(ts.isFunctionDeclaration)
  return written
    .map((declaration) => {
      const signature = checker.getSignatureFromDeclaration(declaration)
      if (declaration.type || !signature) return printHead(declaration)
      const inferred = checker.typeToString(signature.getReturnType(), undefined, ts.TypeFormatFlags.NoTruncation)
      return `${printHead(declaration)}: ${shorten(inferred)}`
    })
    .join(' | ')
}

/** Everything but the body. */
function printHead(node: ts.Node): string {
  const body = 'body' in node && node.body ? (node.body as ts.Node).getText() : ''
  const text = node.getText()
  return stripComments(body === '' ? text : text.slice(0, text.length - body.length))
}

/** A long type is told from another by its digest. */
function shorten(text: string): string {
  return text.length < 300 ? text : `sha256 ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
}

function stripComments(text: string): string {
  return text
    .replaceAll(/\/\*\*[\s\S]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
