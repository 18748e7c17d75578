import type { z } from 'zod'
import { type AnyOperation, impliedErrors, type Shape, shapesOf } from '../kernel/operation.ts'
import { listParamNames, toTemplatePath } from '../kernel/path.ts'
import { isPayload } from '../kernel/payload.ts'
import { type ProblemCode, problems } from '../problems/index.ts'
import { collectNamedSchemas, type JsonSchema, toJsonSchema } from './json-schema.ts'

export interface OpenApiOptions {
  readonly version: string
  readonly serverUrl: string
}

/** Renders the operations as an OpenAPI 3.1 document. Named shapes become references, once each. */
export function buildOpenApi(operations: readonly AnyOperation[], options: OpenApiOptions): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const operation of operations) {
    const path = toTemplatePath(operation.path)
    paths[path] ??= {}
    paths[path][operation.method.toLowerCase()] = describeOperation(operation)
  }
  const capabilities = [...new Set(operations.map(capabilityOf))]
  return {
    openapi: '3.1.0',
    info: {
      title: 'svc',
      version: options.version,
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.serverUrl }],
    tags: capabilities.map((name) => ({ name })),
    paths,
    components: {
      schemas: {
        ...openEnded(collectNamedSchemas(operations.flatMap(shapesOf))),
        Problem: problemSchema,
        ProtocolProblem: protocolProblemSchema,
      },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
    security: [{ bearer: [] }],
  }
}

function describeOperation(operation: AnyOperation): JsonSchema {
  const access = operation.needs === 'public' ? 'Public.' : `Needs \`${operation.needs}\`.`
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: [operation.description, access].filter(Boolean).join(' '),
    tags: [capabilityOf(operation)],
    ...(operation.needs === 'public' ? { security: [] } : {}),
    parameters: [...describeParams(operation), ...describeQuery(operation)],
    ...(operation.body
      ? { requestBody: { required: isRequired(operation.body), content: describeContent(operation.body, 'input') } }
      : {}),
    responses: describeResponses(operation),
  }
}

function describeParams(operation: AnyOperation): JsonSchema[] {
  return listParamNames(operation.path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: paramSchema(operation, name),
  }))
}

function paramSchema(operation: AnyOperation, name: string): JsonSchema {
  const rule = operation.params[name]
  if (rule) return toJsonSchema(rule, 'input')
  return name.endsWith('Id') ? { type: 'string', format: 'uuid' } : { type: 'string' }
}

function describeQuery(operation: AnyOperation): JsonSchema[] {
  if (!operation.query) return []
  return Object.entries(operation.query.shape).map(([name, rule]) => ({
    name,
    in: 'query',
    required: !(rule as z.ZodType).safeParse(undefined).success,
    schema: toJsonSchema(rule as z.ZodType, 'input'),
  }))
}

function isRequired(body: Shape): boolean {
  return isPayload(body) || !body.safeParse(undefined).success
}

function describeContent(shape: Shape, io: 'input' | 'output'): JsonSchema {
  if (!isPayload(shape)) return { 'application/json': { schema: openEnded(toJsonSchema(shape, io)) } }
  if (shape.kind === 'form') return { 'application/x-www-form-urlencoded': { schema: toJsonSchema(shape.fields, io) } }
  if (shape.kind === 'multipart') return { 'multipart/form-data': { schema: multipartSchema(shape) } }
  if (shape.kind === 'events') return { 'text/event-stream': { schema: { type: 'string' } } }
  if (shape.kind === 'text') return { [shape.contentType]: { schema: { type: 'string' } } }
  if (shape.kind === 'relayed') return { '*/*': { schema: { type: 'string', format: 'binary' } } }
  if (shape.kind === 'bytes') return { [shape.contentType]: { schema: { type: 'string', format: 'binary' } } }
  return {}
}

function multipartSchema(shape: { fields: z.ZodObject; files: readonly string[] }): JsonSchema {
  const fields = toJsonSchema(shape.fields, 'input')
  const files = Object.fromEntries(shape.files.map((name) => [name, { type: 'string', format: 'binary' }]))
  return { ...fields, properties: { ...(fields.properties as JsonSchema), ...files } }
}

function describeResponses(operation: AnyOperation): JsonSchema {
  const content = describeContent(operation.returns, 'output')
  const responses: Record<string, JsonSchema> = {
    [operation.status]: { description: 'Success.', ...(Object.keys(content).length > 0 ? { content } : {}) },
  }
  for (const [status, codes] of groupByStatus([...operation.errors, ...impliedErrors(operation)])) {
    responses[status] = {
      description: codes.map((code) => `\`${code}\`: ${problems[code].say}`).join('\n\n'),
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${problemOf(operation)}` } } },
    }
  }
  return responses
}

function groupByStatus(codes: readonly ProblemCode[]): Map<number, ProblemCode[]> {
  const groups = new Map<number, ProblemCode[]>()
  for (const code of [...new Set(codes)].sort()) {
    const { status } = problems[code]
    groups.set(status, [...(groups.get(status) ?? []), code])
  }
  return groups
}

const capabilityOf = (operation: AnyOperation) => operation.id.split('.')[0] ?? operation.id

const introduction = [
  'The agent project platform. Every failure is `{error, code, request_id, next?}` (below `/v1/auth/` and `/v1/oauth/`:',
  '`{error, error_description}`); every response carries `X-Request-Id`.',
  '',
  'To call it, send `Authorization: Bearer <token>`. `POST /v1/auth/sign-in/password` gives a session token;',
  '`POST /v1/accounts/tokens` turns that into a personal access token that lasts.',
].join('\n')

/** Two families keep the shape of failure that their protocol has. */
function problemOf({ path }: AnyOperation): string {
  return path.startsWith('/v1/auth/') || path.startsWith('/v1/oauth/') ? 'ProtocolProblem' : 'Problem'
}

/** A newer server may add fields: what is described here is what a reader can rely on, not all there will ever be. */
function openEnded<T>(node: T): T
function openEnded(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(openEnded)
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).filter(([key, value]) => key !== 'additionalProperties' || value !== false)
  return Object.fromEntries(entries.map(([key, value]) => [key, openEnded(value)]))
}

const protocolProblemSchema: JsonSchema = {
  type: 'object',
  description: 'What went wrong, in the shape that sign-in and OAuth clients expect.',
  properties: {
    error: { type: 'string', description: 'A stable code for programs.' },
    error_description: { type: 'string', description: 'A sentence for people.' },
  },
  required: ['error', 'error_description'],
}

const problemSchema: JsonSchema = {
  type: 'object',
  description: 'What went wrong: a sentence for people, a stable code for programs, and what to do next.',
  properties: {
    error: { type: 'string', description: 'A sentence for people.' },
    code: { type: 'string', description: 'A stable code for programs.' },
    request_id: { type: 'string', description: 'Names this request in the logs and the audit log.' },
    next: { type: 'string', description: 'What to do about it.' },
    issues: {
      type: 'array',
      description: 'On `validation_failed`: every field that is wrong.',
      items: {
        type: 'object',
        properties: { path: { type: 'string' }, message: { type: 'string' } },
        required: ['path', 'message'],
      },
    },
  },
  required: ['error', 'code', 'request_id'],
}
