import type { IncomingMessage } from 'node:http'
import { type AnyOperation, isPayload, listParamNames, type Payload } from '@svc/contract'
import type { z } from 'zod'
import { problem } from './problem.ts'
import { decodeText, parseJson, readBody } from './read-body.ts'

export interface InputParser {
  readonly params: (given: Readonly<Record<string, string>>) => Readonly<Record<string, string>>
  readonly query: (search: string) => unknown
  readonly body: (incoming: IncomingMessage) => Promise<unknown> | undefined
}

/** Prepares everything that parsing one operation needs, once, at registration. */
export function createInputParser(operation: AnyOperation): InputParser {
  return {
    params: createParamCheck(operation),
    query: createQueryParser(operation),
    body: createBodyParser(operation),
  }
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A path value that cannot name anything is the same as one that names nothing: 404. A rule may also rewrite it. */
function createParamCheck(operation: AnyOperation): InputParser['params'] {
  const names = listParamNames(operation.path)
  const rules = names.map((name) => {
    const rule = operation.params[name]
    if (rule) return { name, read: (value: string) => rule.safeParse(value).data }
    if (name.endsWith('Id')) return { name, read: (value: string) => (uuidPattern.test(value) ? value : undefined) }
    return { name, read: (value: string) => value || undefined }
  })
  return (given) => {
    let params = given
    for (const { name, read } of rules) {
      const value = read(given[name] ?? '')
      if (value === undefined) throw problem('not_found')
      if (value !== given[name]) params = { ...params, [name]: value }
    }
    return params
  }
}

function createQueryParser(operation: AnyOperation): InputParser['query'] {
  const rule = operation.query
  if (!rule) return () => undefined
  const repeatable = new Set(Object.keys(rule.shape).filter((name) => acceptsList(rule.shape[name] as z.ZodType)))
  return (search) => {
    const given: Record<string, string | string[]> = Object.create(null)
    for (const [name, value] of new URLSearchParams(search)) {
      if (repeatable.has(name)) given[name] = [...((given[name] as string[] | undefined) ?? []), value]
      // A repeated key keeps its first value unless the operation asks for all.
      given[name] ??= value
    }
    return check(rule, given, 'query')
  }
}

function acceptsList(rule: z.ZodType): boolean {
  const definition = rule.def as { type: string; innerType?: z.ZodType }
  if (definition.innerType) return acceptsList(definition.innerType)
  return definition.type === 'array'
}

function createBodyParser(operation: AnyOperation): InputParser['body'] {
  const { body, maxBodyBytes } = operation
  if (!body) return () => undefined
  if (isPayload(body)) return createPayloadParser(body, maxBodyBytes)
  const isOptional = body.safeParse(undefined).success
  return async (incoming) => {
    if (isOptional && !hasBody(incoming)) return check(body, undefined, 'body')
    requireContentType(incoming, jsonType, 'application/json')
    const text = decodeText(await readBody(incoming, maxBodyBytes))
    return check(body, parseJson(text), 'body')
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function createPayloadParser(body: Payload, maxBodyBytes: number): InputParser['body'] {
  if (body.kind === 'bytes') return async (incoming) => limitBytes(incoming, maxBodyBytes)
  if (body.kind === 'form') {
    return async (incoming) => {
      requireContentType(incoming, formType, 'application/x-www-form-urlencoded')
      const fields = new URLSearchParams(decodeText(await readBody(incoming, maxBodyBytes)))
      const twice = findTwice(fields.keys())
      if (twice !== undefined) throw invalid([{ path: twice, message: 'must not be sent twice' }])
      return check(body.fields, Object.fromEntries(fields), 'body')
    }
  }
  if (body.kind === 'multipart') {
    return async (incoming) => {
      requireContentType(incoming, multipartType, 'multipart/form-data')
      const fields = await readMultipart(incoming, maxBodyBytes)
      const missing = body.files.find((name) => !(fields.get(name) instanceof File))
      if (missing) throw invalid([{ path: missing, message: 'a file is required' }])
      const files = Object.fromEntries(body.files.map((name) => [name, fields.get(name)]))
      const plain = Object.fromEntries([...fields].filter(([name]) => !body.files.includes(name)))
      return { ...(check(body.fields, plain, 'body') as object), ...files }
    }
  }
  return () => undefined
}

function findTwice(names: Iterable<string>): string | undefined {
  const seen = new Set<string>()
  for (const name of names) {
    if (seen.has(name)) return name
    seen.add(name)
  }
  return undefined
}

async function readMultipart(incoming: IncomingMessage, maxBodyBytes: number): Promise<FormData> {
  const bytes = await readBody(incoming, maxBodyBytes)
  const headers = { 'content-type': incoming.headers['content-type'] ?? '' }
  try {
    return await new Response(new Uint8Array(bytes), { headers }).formData()
  } catch (cause) {
    throw problem('malformed_request', { say: 'The multipart body cannot be read.', cause })
  }
}

/** A transfer may take as long as it needs, but not fall silent for longer than this. */
const idleTransferMs = 120_000

async function* limitBytes(incoming: IncomingMessage, maxBytes: number): AsyncGenerator<Uint8Array> {
  incoming.setTimeout(idleTransferMs, () => incoming.destroy(problem('request_timeout')))
  let sizeBytes = 0
  for await (const chunk of incoming) {
    sizeBytes += (chunk as Buffer).length
    if (sizeBytes > maxBytes) throw problem('payload_too_large', { extras: { limit_bytes: maxBytes } })
    yield chunk as Buffer
  }
}

const jsonType = /^application\/(json|[a-z0-9.+-]+\+json)\s*(;|$)/i
const formType = /^application\/x-www-form-urlencoded\s*(;|$)/i
const multipartType = /^multipart\/form-data\s*;/i

function requireContentType(incoming: IncomingMessage, pattern: RegExp, expected: string): void {
  const given = incoming.headers['content-type']
  if (given !== undefined && pattern.test(given)) return
  throw problem('unsupported_media_type', {
    say: `This operation reads ${expected}${given === undefined ? '' : ', not the content type that was sent'}.`,
    next: `Send \`Content-Type: ${expected}\`.`,
  })
}

function check(rule: z.ZodType, given: unknown, where: 'query' | 'body'): unknown {
  const parsed = rule.safeParse(given)
  if (parsed.success) return parsed.data
  throw invalid(
    parsed.error.issues.map((issue) => ({
      path: issue.path.map(String).join('.') || where,
      message: sayIssue(issue.message),
    })),
  )
}

/** The schema library speaks of types; a reader of the answer wants to know that the field is not there. */
function sayIssue(message: string): string {
  return /received undefined$/.test(message) ? 'is missing' : message
}

/** 400 with every field that is wrong; also for rules that only a handler can check. */
export function invalid(issues: readonly { path: string; message: string }[]) {
  const first = issues[0]
  const say = first ? `${first.path}: ${first.message}` : undefined
  return problem('validation_failed', { ...(say ? { say } : {}), extras: { issues } })
}
