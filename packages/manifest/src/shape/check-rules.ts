import { isMap, own, type PlainMap } from '../plain-data.ts'
import type { CheckContext } from './check-context.ts'
import { listKeys } from './describe-value.ts'
import type { ExpectRule, NoneRule, Rule, WhenRule } from './shape.ts'

/** Cross-rules of one record. `since` is where the record's own findings start, so that nothing is said twice. */
export function checkRules(rules: readonly Rule[], value: PlainMap, since: number, context: CheckContext): void {
  for (const rule of rules) checkRule(rule, value, since, context)
}

function checkRule(rule: Rule, value: PlainMap, since: number, context: CheckContext): void {
  switch (rule.rule) {
    case 'some':
      if (presentOf(rule.of, value).length === 0) context.error(rule.says, rule.of.slice(0, 1))
      break
    case 'one': {
      const present = presentOf(rule.of, value)
      const found = present.length === 0 ? 'neither' : listKeys(present, 'and')
      if (present.length !== 1) context.error(`${rule.says}; found ${found}`)
      break
    }
    case 'none':
      checkNone(rule, presentOf(rule.of, value), context)
      break
    case 'expect':
      checkExpected(rule, value, since, context)
      break
    case 'when':
      if (applies(rule, value)) checkRules(rule.rules, value, since, context)
      break
  }
}

function presentOf(keys: readonly string[], value: PlainMap): string[] {
  return keys.filter((key) => own(value, key) !== undefined)
}

function applies(rule: WhenRule, value: PlainMap): boolean {
  return Object.entries(rule.is).every(([key, values]) => {
    const actual = own(value, key)
    return typeof actual === 'string' && values.includes(actual)
  })
}

function checkNone(rule: NoneRule, present: readonly string[], context: CheckContext): void {
  const first = present[0]
  if (first === undefined) return
  if (rule.together) {
    context.error(`${listKeys(present, 'and')} ${rule.says}`, [], { at: [first], on: 'key' })
    return
  }
  for (const key of present) context.error(`\`${key}\` ${rule.says}`, [key], { on: 'key' })
}

/** Silent where the value is absent or its own shape has already been refused. */
function checkExpected(rule: ExpectRule, value: PlainMap, since: number, context: CheckContext): void {
  let actual: unknown = value
  for (const key of rule.at) {
    if (!isMap(actual)) return
    actual = own(actual, key)
  }
  if (actual === undefined || actual === rule.equals || context.hasFinding(rule.at, since)) return
  context.error(rule.says, rule.at)
}
