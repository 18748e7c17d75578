import type { ConfigSource, ErrorContext } from '../config/svc-config.ts'
import { ApiError } from '../errors/api-error.ts'
import { decodeReply, refusePage } from '../http/decode-reply.ts'
import { reporting } from '../http/report-error.ts'
import { sendRequest } from '../http/send-request.ts'
import { noteCreated } from '../session/session-registry.ts'
import { toRecord, toText } from '../wire/read-value.ts'
import { type ClientCall, parseCalls, toWords } from './parse-calls.ts'

/** Runs one call; a scoped client runs it inside its scope. */
export type RunCall = <T>(call: () => T) => T

/** Calls below their names. */
export type CallTree = { [name: string]: CallTree | ((...args: unknown[]) => unknown) }

/** Groups that stand on a handle instead of on the client. */
const HANDLES = /^(project|session)$/
/** Its answer to a POST names a session; a list of them has no `session_id`. */
const CREATE_SESSION = 'projects/:/sessions'

/**
 * The calls below one name of the table as nested functions, with the first path arguments already given.
 * Their types are stated by `SvcClient`; the accounting test holds table, types and contract together.
 */
export function buildCalls(root: string, source: ConfigSource, run: RunCall, bound: readonly string[] = []): CallTree {
  const tree: CallTree = {}
  for (const call of parseCalls()) {
    const [first = '', ...names] = call.path
    if (root ? first !== root : HANDLES.test(first)) continue
    placeCall(tree, root ? names : call.path, (...args) => run(() => callService(source, call, [...bound, ...args])))
  }
  return tree
}

/** Sends one call of the table. */
export async function callService(
  source: ConfigSource,
  call: ClientCall,
  args: readonly unknown[],
  context?: ErrorContext,
  base?: string,
): Promise<unknown> {
  const config = source()
  // Filling may refuse an argument, and that too is reported.
  const sending = (async () => sendRequest(config, { ...fillRequest(call, args), base }, readResult))()
  const result = await reporting(config, context, sending)
  if (call.route === CREATE_SESSION) noteCreated(toText(toRecord(result).session_id))
  return result
}

/** Puts a call below its names. */
export function placeCall(tree: CallTree, path: readonly string[], leaf: (...args: unknown[]) => unknown): void {
  const [name = '', ...rest] = path
  const branch = rest.length > 0 ? (tree[name] ?? {}) : leaf
  tree[name] = branch
  if (typeof branch === 'object') placeCall(branch, rest, leaf)
}

function fillRequest(
  { method, route, fields, timeoutMs, untilHeaders, inQuery }: ClientCall,
  args: readonly unknown[],
) {
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
  const shared = { method, timeoutMs, untilHeaders }
  if (inQuery) return { ...shared, path: path + printQuery(input) }
  return { ...shared, path, body: form ?? (fields.length > 0 && input) }
}

function encodePart(value: unknown, route: string): string {
  const text = typeof value === 'number' ? String(value) : toText(value)
  if (!/^\.{0,2}$/.test(text)) return encodeURIComponent(text)
  throw new ApiError(`An id of ${route} is missing.`, { code: 'INVALID_ARGUMENT' })
}

function printQuery(input: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input)) {
    if (value !== undefined && value !== null) query.append(name, String(value))
  }
  return `?${query}`.replace(/^\?$/, '')
}

function toSnakeCase(value: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(toRecord(value)).map(([name, field]) => [toWords(name, '_'), field]))
}

/** What an operation answers; a web page never is. */
export const readResult = (response: Response): Promise<unknown> => refusePage(response, decodeReply)
