import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { manifestJsonSchema, validateAgentFile } from './index.ts'

const schema = manifestJsonSchema(2)
const ajv = new Ajv2020({ strict: false, strictNumbers: true })
const accepts = ajv.compile({ $ref: '#/$defs/agentMdFrontmatter', $defs: schema.$defs })

describe('agent front matter', () => {
  test.each<[string, string[]]>([
    ['description: d\nmodel: m\nvariant: v\nmode: subagent\ntemperature: 0.5\ntop_p: 1\nsteps: 3', []],
    ['color: "#A0b1c2"\nhidden: true\ndisable: false\noptions: {a: [1]}', []],
    ['color: accent', []],
    ['permission: ask', []],
    ['permission: {bash: {"git *": allow, "*": ask}, edit: deny, webfetch: allow}', []],
    ['other: 1', []],
    ['', []],
    ['mode: main', ['mode']],
    ['temperature: hot', ['temperature']],
    ['steps: 0', ['steps']],
    ['color: red', ['color']],
    ['hidden: "yes"', ['hidden']],
    ['options: []', ['options']],
    ['permission: maybe', ['permission']],
    ['permission: {webfetch: {"*": allow}}', ['permission.webfetch']],
    ['permission: {bash: {"*": perhaps}}', ['permission.bash.*']],
    ['tools: {bash: true}', ['tools']],
    ['maxSteps: 5', ['maxSteps']],
  ])('%j', (yaml, paths) => {
    const result = validateAgentFile(`---\n${yaml}\n---\nYou help.\n`)
    expect(result.issues.map((issue) => issue.path)).toEqual(paths)
    expect(result.body).toBe('You help.\n')
    expect(accepts(result.frontMatter)).toBe(paths.length === 0)
  })

  test('lines are those of the file', () => {
    expect(validateAgentFile('---\nmodel: m\nmode: main\n---\n').issues).toMatchObject([
      { path: 'mode', line: 3, column: 7 },
    ])
    expect(validateAgentFile('---\r\nmode: main\r\n---\r\nx').issues).toMatchObject([{ line: 2 }])
    expect(validateAgentFile('---\na: [\n---\n').issues).toMatchObject([{ path: '<yaml>' }])
  })

  test('a file without front matter is only a prompt', () => {
    expect(validateAgentFile('Hello')).toEqual({ valid: true, frontMatter: {}, body: 'Hello', issues: [] })
  })
})
