import { type AnyOperation, fieldNames, isPayload, listParamNames } from '@svc/contract'
import { z } from 'zod'
import type { Tenant } from './world.ts'

/** A request that passes parsing, so that what refuses it is a decision about access. */
export interface SampleRequest {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | FormData | undefined
}

type Json = Record<string, unknown>

/** Bodies that a schema alone does not tell, by operation. Add a row when the matrix asks for one. */
const samples: Record<string, (tenant: Tenant) => Json> = {
  'iam.createAssignment': ({ memberId, projectId }) => ({
    principal_type: 'user',
    principal_id: memberId,
    scope_type: 'project',
    scope_id: projectId,
    role_key: 'member',
  }),
  'iam.roles.create': () => ({ key: 'sample', name: 'Sample', actions: ['project.read'] }),
  'iam.roles.setPermissions': () => ({ actions: ['project.read'] }),
  'iam.groups.addMembers': ({ memberId }) => ({ userIds: [memberId] }),
  'accounts.tokens.create': ({ accountId }) => ({ account_id: accountId, name: 'Sample' }),
  'accounts.updateMemberRole': () => ({ role: 'member' }),
  'oauth.clients.create': () => ({ name: 'Sample', redirect_uris: ['https://example.com/callback'] }),
  'github.linkRepository': ({ accountId }) => ({ account_id: accountId, repo_full_name: 'acme/widgets' }),
  'session.prompts.send': () => ({
    client_message_id: 'sample',
    message_id: `msg_${'0'.repeat(12)}${'a'.repeat(14)}`,
    parts: [{ type: 'text', text: 'Sample' }],
  }),
  'sandbox.createTemplate': () => ({ slug: 'sample', image: 'debian:12' }),
  // An account's own default is another permission's; see `mayNeed`.
  'modelDefaults.set': () => ({ scope: 'project', model: 'svc/scripted' }),
  'iam.explain': () => ({ probes: [{ action: 'account.read' }] }),
}

const unknownId = '0190a1b2-0000-7000-8000-00000000beef'

/** `pathTenant` gives the account and project, `idTenant` everything below them; both default to one tenant. */
export function sampleRequest(
  operation: AnyOperation,
  pathTenant: Tenant,
  idTenant: Tenant | 'unknown' = pathTenant,
): SampleRequest | undefined {
  // A parameter with a rule of its own takes what the rule accepts.
  const accepted = (name: string, value: string) => {
    const rule = operation.params[name]
    if (!rule || rule.safeParse(value).success) return value
    return encodeURIComponent(String(fillSchema(jsonSchemaOf(rule), pathTenant)))
  }
  const path = listParamNames(operation.path).reduce(
    (filled, name) =>
      filled.replace(new RegExp(`:${name}(?:\\{((?:[^{}]|\\{[^{}]*\\})*)\\})?`), (_whole, pattern?: string) =>
        fitPattern(accepted(name, fillParam(name, pathTenant, idTenant)), pattern),
      ),
    operation.path,
  )
  const query = makeQuery(operation, pathTenant)
  const sent = makeBody(operation, pathTenant)
  if (query === undefined || sent === undefined) return undefined
  return { method: operation.method, path: `${path}${query}`, ...sent }
}

/** A segment may carry a pattern of its own in the path. */
function fitPattern(value: string, pattern: string | undefined): string {
  if (pattern === undefined) return value
  const rule = new RegExp(`^(?:${pattern})$`)
  return rule.test(value) ? value : (texts.find((text) => rule.test(text)) ?? value)
}

function fillParam(name: string, pathTenant: Tenant, idTenant: Tenant | 'unknown'): string {
  if (name === 'accountId' || name === 'projectId') return pathTenant[name]
  if (idTenant === 'unknown') return name.endsWith('Id') ? unknownId : 'x'
  if (name === 'userId') return idTenant.memberId
  const known: Record<string, unknown> = { ...idTenant }
  const value = known[name]
  if (typeof value === 'string') return value
  return name.endsWith('Id') ? idTenant.projectId : 'x'
}

function makeQuery({ query }: AnyOperation, tenant: Tenant): string | undefined {
  if (!query) return ''
  const fields: Json = { ...pick(fillSchema(jsonSchemaOf(query), tenant)), ...selectors(fieldNames(query), tenant) }
  if (!query.safeParse(fields).success) return undefined
  const search = toSearch(fields)
  return search.size === 0 ? '' : `?${search}`
}

function makeBody(operation: AnyOperation, tenant: Tenant): Pick<SampleRequest, 'headers' | 'body'> | undefined {
  const { id, body } = operation
  if (!body) return { headers: {}, body: undefined }
  if (isPayload(body)) {
    if (body.kind === 'form') {
      const fields = pick(fillSchema(jsonSchemaOf(body.fields), tenant))
      const form = toSearch(fields)
      return { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: form.toString() }
    }
    if (body.kind === 'multipart') {
      const form = new FormData()
      for (const name of body.files) form.set(name, new Blob(['x']), 'x.txt')
      return { headers: {}, body: form }
    }
    return { headers: { 'content-type': 'application/octet-stream' }, body: '' }
  }
  const given = samples[id]?.(tenant)
  const filled = given ?? { ...pick(fillSchema(jsonSchemaOf(body), tenant)), ...selectors(fieldNames(body), tenant) }
  if (!body.safeParse(filled).success) return undefined
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(filled) }
}

/** Where an operation takes its account or project from a field, the field names the tenant. */
function selectors(names: readonly string[], { accountId, projectId }: Tenant): Json {
  return {
    ...(names.includes('account_id') ? { account_id: accountId } : {}),
    ...(names.includes('project_id') ? { project_id: projectId } : {}),
  }
}

function toSearch(fields: Json): URLSearchParams {
  return new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]))
}

function pick(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

function jsonSchemaOf(shape: z.ZodType): Json {
  return { ...z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }) }
}

const texts = [
  'sample',
  'sample-1',
  'sample@example.com',
  unknownId,
  'https://example.com/x',
  '2099-01-01T00:00:00Z',
  '0 * * * *',
  'SAMPLE',
  '1',
  '123456',
  'refs/heads/main',
  'a'.repeat(32),
  'a'.repeat(43),
  'sb0123456789abcdefgh',
  'a'.repeat(64),
  'sample password 1234',
]

/** What a name tells where a schema's own rule lies behind a transformation. */
const hints: readonly (readonly [RegExp, string])[] = [
  [/^email$/, 'sample@example.com'],
  [/_ur[il]$|^ur[il]$/, 'https://example.com/x'],
]

/** The smallest value a JSON Schema accepts, for the kinds of schema that contracts are made of. */
export function fillSchema(schema: Json, tenant: Tenant, root: Json = schema): unknown {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return fillSchema(pick(pick(root.$defs)[name]), tenant, root)
  }
  if (Array.isArray(schema.type)) return fillSchema({ ...schema, type: schema.type[0] }, tenant, root)
  if ('const' in schema) return schema.const
  if ('default' in schema) return schema.default
  if (Array.isArray(schema.enum)) return schema.enum[0]
  for (const key of ['anyOf', 'oneOf', 'allOf'] as const) {
    const options = schema[key]
    if (Array.isArray(options)) {
      if (key === 'allOf') return Object.assign({}, ...options.map((one) => fillSchema(pick(one), tenant, root)))
      return fillSchema(pick(options[0]), tenant, root)
    }
  }
  if (schema.type === 'object' || schema.properties) {
    const required = Array.isArray(schema.required) ? schema.required.map(String) : []
    return Object.fromEntries(
      required.map((name) => {
        const property = pick(pick(schema.properties)[name])
        const hinted =
          property.type === 'string' && !property.format ? hints.find(([hint]) => hint.test(name)) : undefined
        return [name, hinted?.[1] ?? fillSchema(property, tenant, root)]
      }),
    )
  }
  if (schema.type === 'array') {
    const count = typeof schema.minItems === 'number' ? schema.minItems : 0
    return Array.from({ length: count }, () => fillSchema(pick(schema.items), tenant, root))
  }
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(Number(schema.minimum ?? 1), 1)
  if (schema.type === 'boolean') return true
  return schema.type === 'string' ? fillText(schema) : 'sample'
}

function fillText({ pattern, format, minLength = 0, maxLength = 10_000 }: Json): string {
  const byFormat: Record<string, string> = {
    uuid: unknownId,
    email: 'sample@example.com',
    'date-time': '2099-01-01T00:00:00Z',
    uri: 'https://example.com/x',
  }
  const named = typeof format === 'string' ? byFormat[format] : undefined
  if (named !== undefined) return named
  const rule = typeof pattern === 'string' ? new RegExp(pattern) : undefined
  const fits = (text: string) =>
    (!rule || rule.test(text)) && text.length >= Number(minLength) && text.length <= Number(maxLength)
  return texts.find(fits) ?? 'x'.repeat(Math.max(1, Number(minLength)))
}
