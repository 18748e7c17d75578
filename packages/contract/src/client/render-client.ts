import { type AnyOperation, fieldNames, type Shape, shapesOf } from '../kernel/operation.ts'
import { listParamNames } from '../kernel/path.ts'
import { isPayload } from '../kernel/payload.ts'
import { collectNamedSchemas, type JsonSchema, toJsonSchema } from '../openapi/json-schema.ts'
import { printType } from './print-type.ts'

/**
 * The client's view of the contract as one TypeScript module: flat types without a schema library, and a table of
 * method and path per operation. Permissions and audit names stay on the server.
 */
export function renderClient(operations: readonly AnyOperation[]): string {
  const named = Object.entries(collectNamedSchemas(operations.flatMap(shapesOf)))
  const interfaces = named.map(([name, schema]) => `${comment(schema)}export type ${name} = ${printType(schema)}\n`)
  const calls = operations.map((operation) => `  ${JSON.stringify(operation.id)}: ${printCall(operation)}`)
  const table = operations.map(({ id, at }) => `  ${JSON.stringify(id)}: ${JSON.stringify(at)},`)
  return [
    '// Generated from packages/contract by `npm run generate`. Do not edit.\n',
    ...interfaces,
    '/** What each operation takes and gives. */',
    `export interface Operations {\n${calls.join('\n')}\n}\n`,
    'export type OperationId = keyof Operations\n',
    '/** Method and path of each operation: all the client needs at run time. */',
    `export const routes: { readonly [Id in OperationId]: string } = {\n${table.join('\n')}\n}\n`,
  ].join('\n')
}

function printCall(operation: AnyOperation): string {
  const params = listParamNames(operation.path)
  const rows = [
    ...(params.length > 0 ? [`params: { ${params.map((name) => `${name}: string`).join('; ')} }`] : []),
    ...(operation.query ? [`query: ${printShape(operation.query, 'input')}`] : []),
    ...(operation.body ? [`body: ${printShape(operation.body, 'input')}`] : []),
    `result: ${printShape(operation.returns, 'output')}`,
  ]
  return `{\n${rows.map((row) => `    ${row}`).join('\n')}\n  }`
}

function printShape(shape: Shape, io: 'input' | 'output'): string {
  if (!isPayload(shape)) return printType(toJsonSchema(shape, io), '    ')
  if (shape.kind === 'text' || shape.kind === 'redirect') return 'string'
  if (shape.kind === 'bytes' || shape.kind === 'relayed') return 'Blob'
  if (shape.kind === 'form') return printType(toJsonSchema(shape.fields, io), '    ')
  if (shape.kind === 'events') return `AsyncIterable<${printType(toJsonSchema(shape.event, io), '    ')}>`
  if (shape.kind === 'multipart') {
    const files = shape.files.map((name) => `${name}: Blob`).join('; ')
    const fields = fieldNames(shape).length > 0 ? `${printType(toJsonSchema(shape.fields, io), '    ')} & ` : ''
    return `${fields}{ ${files} }`
  }
  return 'undefined'
}

function comment(schema: JsonSchema): string {
  return typeof schema.description === 'string' ? `/** ${schema.description} */\n` : ''
}
