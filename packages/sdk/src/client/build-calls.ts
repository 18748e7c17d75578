import type { ConfigSource, ErrorContext } from '../config/svc-config.ts'
import { ApiError, isApiError } from '../errors/api-error.ts'
import { decodeReply } from '../http/decode-reply.ts'
import { reportError } from '../http/report-error.ts'
import { sendRequest } from '../http/send-request.ts'
import { toRecord } from '../wire/read-value.ts'
import { type ClientCall, parseCalls } from './parse-calls.ts'

/** Runs one call; a scoped client runs it inside its scope. */
export type RunCall = <T>(call: () => T) => T

type Tree = { [name: string]: Tree | ((...args: unknown[]) => unknown) }

let parsed: ClientCall[] | undefined

/**
 * The calls below one name of the table as nested functions, with the first path arguments already given.
 * Their types are stated by `SvcClient`; the accounting test holds table, types and contract together.
 */
export function buildCalls(root: string, source: ConfigSource, run: RunCall, bound: readonly string[] = []): Tree {
  parsed ??= parseCalls()
  const tree: Tree = {}
  for (const call of parsed) {
    const [first, ...names] = call.path
    if (root ? first !== root : first === 'project') continue
    place(tree, root ? names : call.path, (...args) => run(() => callService(source, call, [...bound, ...args])))
  }
  return tree
}

/** Sends one call of the table. */
export async function callService(
  source: ConfigSource,
  call: ClientCall,
  args: readonly unknown[],
  context?: ErrorContext,
): Promise<unknown> {
  const config = source()
  try {
    return await sendRequest(config, fillRequest(call, args), (response) => readResult(response))
  } catch (error) {
    if (isApiError(error)) reportError(config, error, context)
    throw error
  }
}

function place(tree: Tree, path: readonly string[], leaf: (...args: unknown[]) => unknown): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) {
    tree[name] = leaf
    return
  }
  const branch = tree[name]
  const next: Tree = typeof branch === 'object' ? branch : {}
  tree[name] = next
  place(next, rest, leaf)
}

function fillRequest({ method, route, fields, timeoutMs, untilHeaders }: ClientCall, args: readonly unknown[]) {
  const left = [...args]
  const path = route.replaceAll(':', () => encodePart(left.shift(), route))
  const input: Record<string, unknown> = {}
  let form: FormData | undefined
  for (const field of fields) {
    const value = left.shift()
    if (field === '*' || field === '~') Object.assign(input, field === '~' ? toSnakeCase(value) : value)
    else if (!field.startsWith('!')) input[field] = value
    else if (value instanceof Blob) {
      form = new FormData()
      form.append(field.slice(1), value)
    }
  }
  if (method === 'GET' || method === 'DELETE') {
    return { method, path: path + printQuery(input), timeoutMs, untilHeaders }
  }
  return { method, path, body: form ?? (fields.length > 0 && input), timeoutMs, untilHeaders }
}

function encodePart(value: unknown, route: string): string {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text === 'string' && text !== '' && !/^\.{1,2}$/.test(text)) return encodeURIComponent(text)
  throw new ApiError(`An id is missing for ${route}: give a non-empty string.`, { code: 'INVALID_ARGUMENT' })
}

function printQuery(input: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input)) {
    if (value !== undefined && value !== null) query.append(name, String(value))
  }
  const text = String(query)
  return text && `?${text}`
}

function toSnakeCase(value: unknown): Record<string, unknown> {
  const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return Object.fromEntries(Object.entries(toRecord(value)).map(([name, field]) => [snake(name), field]))
}

/** A page of HTML is never what an operation answers: something else answered in the service's place. */
async function readResult(response: Response): Promise<unknown> {
  if (!/^text\/html\b/i.test(response.headers.get('content-type') ?? '')) return decodeReply(response)
  throw new ApiError('A web page answered instead of the service. Check backendUrl and any proxy in between.', {
    status: response.status,
    code: 'INVALID_CONTENT_TYPE',
    url: response.url,
    response,
  })
}
