/**
 * One row per rule and outcome. `issues` lists `severity path`. A row with an error on layer S is refused by the schema
 * too; every other row is accepted by it.
 */
export interface RuleFixture {
  rule: string
  yaml: string
  layer: 'S' | 'V'
  issues: string[]
}

export const row = (rule: string, layer: 'S' | 'V', yaml: string, ...issues: string[]): RuleFixture => ({
  rule,
  layer,
  yaml,
  issues,
})

export const v1 = (body: string) => `svc_version: 1\n${body}\n`
export const v2 = (body: string, agent = '{}') => `svc_version: 2\ndefault_agent: a\nagents: {a: ${agent}}\n${body}\n`
export const long = (chars: number) => 'x'.repeat(chars)
