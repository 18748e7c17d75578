import { isMap, type PlainMap } from '../plain-data.ts'
import type { CheckContext } from './check-context.ts'
import { checkRules } from './check-rules.ts'
import { checkNumber, checkText } from './check-scalar.ts'
import { describeValue, listKeys, quote } from './describe-value.ts'
import { isLikelyTypo } from './nearest-word.ts'
import type { ChoiceShape, ListShape, MapShape, RecordShape, Shape, TextShape } from './shape.ts'

/** Holds a value against a shape and reports every difference; one pass, never throws on plain data. */
export function checkShape(shape: Shape, value: unknown, context: CheckContext): void {
  switch (shape.kind) {
    case 'any':
      break
    case 'text':
      checkText(shape, value, context)
      break
    case 'number':
      checkNumber(shape, value, context)
      break
    case 'boolean':
      checkBoolean(value, context)
      break
    case 'list':
      checkList(shape, value, context)
      break
    case 'map':
      checkMap(shape, value, context)
      break
    case 'record':
      checkRecord(shape, value, context)
      break
    case 'choice':
      checkChoice(shape, value, context)
      break
  }
}

function checkBoolean(value: unknown, context: CheckContext): void {
  if (typeof value === 'boolean') return
  const word = typeof value === 'string' ? value.toLowerCase() : undefined
  const hint = word === 'true' || word === 'false' ? `; write ${word} without quotes` : ''
  context.error(`must be true or false, found ${describeValue(value)}${hint}`)
}

function checkList(shape: ListShape, value: unknown, context: CheckContext): void {
  if (!Array.isArray(value)) {
    context.error(`must be ${describeList(shape, context)}, found ${describeValue(value)}`)
    return
  }
  const least = shape.minItems ?? 0
  if (value.length < least) context.error(`must have at least ${least} item, found an empty list`)
  for (let index = 0; index < value.length; index += 1) checkAt(shape.items, value[index], index, context)
  if (shape.unique !== undefined) checkUnique(shape.unique, value, context)
}

function describeList(shape: ListShape, context: CheckContext): string {
  if (shape.items.kind !== 'record') return 'a list'
  const section = context.path.filter((segment) => typeof segment === 'string').join('.')
  if (context.format === 'toml') return `a list: write each entry as a \`[[${section}]]\` table`
  return `a YAML list: write each entry under \`${context.path.at(-1)}:\` with a leading \`- \``
}

function checkUnique(key: string, items: readonly unknown[], context: CheckContext): void {
  const firstAt = new Map<string, number>()
  for (const [index, item] of items.entries()) {
    const value = isMap(item) && Object.hasOwn(item, key) ? item[key] : undefined
    if (typeof value !== 'string') continue
    const first = firstAt.get(value)
    if (first === undefined) firstAt.set(value, index)
    else
      context.error(`${key} ${quote(value)} is already used by entry ${first}; each ${key} must be unique`, [
        index,
        key,
      ])
  }
}

function checkMap(shape: MapShape, value: unknown, context: CheckContext): void {
  if (!isMap(value)) {
    const hint = Array.isArray(value) && shape.listHint !== undefined ? `; ${shape.listHint}` : ''
    context.error(`must be a map, found ${describeValue(value)}${hint}`)
    return
  }
  const keys = Object.keys(value)
  if (keys.length < (shape.minEntries ?? 0)) context.error('must have at least one entry, found an empty map')
  if (keys.length > (shape.maxEntries ?? Number.POSITIVE_INFINITY)) {
    context.error(`must have at most ${shape.maxEntries} entries, found ${keys.length}`)
  }
  for (const key of keys) {
    if (shape.keys !== undefined) checkKey(shape.keys, key, context)
    checkAt(shape.values, value[key], key, context)
  }
  shape.check?.(value, context)
}

function checkKey(shape: TextShape, key: string, context: CheckContext): void {
  const before = context.findings.length
  context.path.push(key)
  checkText(shape, key, context)
  context.path.pop()
  for (const finding of context.findings.slice(before)) {
    finding.on = 'key'
    finding.message = `this name ${finding.message}`
  }
}

function checkRecord(shape: RecordShape, value: unknown, context: CheckContext): void {
  if (!isMap(value)) {
    context.error(`must be a map${describeFields(shape)}, found ${describeValue(value)}`)
    return
  }
  const before = context.findings.length
  for (const key of Object.keys(value)) {
    const item = value[key]
    if (item === undefined) continue
    const field = shape.fields.get(key) ?? shape.others
    if (field === undefined) checkUnknownKey(shape, key, value, context)
    else checkAt(field, item, key, context)
  }
  for (const key of shape.required) {
    if (!isPresent(value, key)) reportMissing(shape, key, value, context)
  }
  checkRules(shape.rules, value, before, context)
  shape.check?.(value, context)
}

function checkAt(shape: Shape, value: unknown, segment: string | number, context: CheckContext): void {
  context.path.push(segment)
  checkShape(shape, value, context)
  context.path.pop()
}

function checkUnknownKey(shape: RecordShape, key: string, value: PlainMap, context: CheckContext): void {
  const message = shape.forbidden.get(key)
  if (message !== undefined) {
    context.path.push(key)
    context.error(typeof message === 'string' ? message : message(context), [], { on: 'key' })
    context.path.pop()
    return
  }
  if (!shape.open || shape.warnUnknown) {
    const near = context.suggest(key, shape.fields.keys())
    const hint = near === undefined ? '' : ` Did you mean \`${near}\`?`
    const known = listKeys([...shape.fields.keys()], 'and')
    const message = `unknown key ${quote(key)}; allowed here are ${known}.${hint}`
    if (shape.open) context.warn(message, [key], { on: 'key' })
    else context.error(message, [key], { on: 'key' })
    return
  }
  if (!context.maySuggest()) return
  for (const known of shape.fields.keys()) {
    if (isPresent(value, known) || !isLikelyTypo(key, known)) continue
    context.warn(`unknown key ${quote(key)} has no effect. Did you mean \`${known}\`?`, [key], { on: 'key' })
    return
  }
}

function reportMissing(shape: RecordShape, key: string, value: PlainMap, context: CheckContext): void {
  const field = shape.fields.get(key)
  const about = field?.about === undefined ? '' : `: ${field.about}`
  const others = Object.keys(value).slice(0, 50)
  const near = others.find((other) => !shape.fields.has(other) && isLikelyTypo(other, key))
  const hint = near === undefined ? '' : `; found ${quote(near)}, did you mean \`${key}\`?`
  context.error(`\`${key}\` is missing${about}${hint}`, [key])
}

function checkChoice(shape: ChoiceShape, value: unknown, context: CheckContext): void {
  const fitting = shape.of.find((option) => hasTypeOf(option, value))
  if (fitting !== undefined) {
    checkShape(fitting, value, context)
    return
  }
  context.error(`must be ${shape.says}, found ${describeValue(value)}`)
}

function hasTypeOf(shape: Shape, value: unknown): boolean {
  switch (shape.kind) {
    case 'text':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number'
    case 'boolean':
      return typeof value === 'boolean'
    case 'list':
      return Array.isArray(value)
    case 'map':
    case 'record':
      return isMap(value)
    case 'any':
    case 'choice':
      return true
  }
}

function describeFields(shape: RecordShape): string {
  return shape.required.length === 0 ? '' : ` with ${listKeys(shape.required, 'and')}`
}

function isPresent(value: PlainMap, key: string): boolean {
  return Object.hasOwn(value, key) && value[key] !== undefined
}
