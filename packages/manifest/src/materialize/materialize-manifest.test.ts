import { describe, expect, test } from 'vitest'
import { materializeManifest, parseManifestText, readEnabled, resolveGrantSet, unrestrictedAgent } from '../index.ts'

const read = (yaml: string) => materializeManifest(parseManifestText(yaml, 'yaml'))

describe('resolveGrantSet', () => {
  test.each([
    [undefined, 'all', 'all'],
    [undefined, 'none', 'none'],
    ['', 'all', 'none'],
    ['none', 'all', 'none'],
    ['some', 'all', 'none'],
    ['all', 'none', 'all'],
    [5, 'all', 'none'],
    [[' a ', '', ' ', 'b', 5], 'all', ['a', 'b']],
    [['*'], 'none', ['*']],
    [[], 'all', []],
  ] as const)('%j with default %j is %j', (value, fallback, expected) => {
    expect(resolveGrantSet(value, fallback)).toEqual(expected)
  })
})

describe('enabled', () => {
  test('says yes, no, or nothing that can be understood', () => {
    for (const value of [undefined, true, 1, -1, 'true', '1', 'YES', 'On']) expect(readEnabled(value)).toBe(true)
    for (const value of [false, 0, 'False', '0', 'no', 'OFF']) expect(readEnabled(value)).toBe(false)
    for (const value of [null, 'maybe', '', [], Number.NaN]) expect(readEnabled(value)).toBeUndefined()
  })
})

describe('defaults', () => {
  test('an empty manifest has the platform defaults', () => {
    expect(materializeManifest({})).toMatchObject({
      version: null,
      defaultAgent: null,
      runtime: 'opencode',
      configDir: '.svc/opencode',
      sandboxDefault: 'default',
      agents: { entries: [], problems: [] },
    })
  })

  test('a version 1 agent: grants none, secrets all, and without an entry unrestricted', () => {
    const { agents } = read(
      'svc_version: 1\nagents: [{name: a}, {name: b, connectors: [x], env: none, svc_cli: ["*"]}]',
    )
    expect(agents.entries).toMatchObject([
      { name: 'a', connectors: 'none', svcCli: 'none', secrets: 'all', repositoryAccess: true },
      { name: 'b', connectors: ['x'], svcCli: ['*'], secrets: 'none' },
    ])
    expect(unrestrictedAgent({}, 'c')).toMatchObject({ name: 'c', connectors: 'all', secrets: 'all', svcCli: 'all' })
  })

  test('a version 2 agent: everything none, enabled, with the repository', () => {
    const { agents } = read(
      'svc_version: 2\ndefault_agent: a\nsandbox: {default: big}\nagents: {a: {}, b: {workspace: read}, c: {workspace: runtime}, d: {workspace: branch, sandbox: s}, e: {connectors_personal: [x]}}',
    )
    expect(agents.entries.map((agent) => agent.repositoryAccess)).toEqual([true, false, false, true, true])
    expect(agents.entries[0]).toEqual({
      name: 'a',
      enabled: true,
      connectors: 'none',
      connectorsRequired: [],
      secrets: 'none',
      skills: 'none',
      svcCli: 'none',
      repositoryAccess: true,
      sandbox: 'big',
    })
    expect(agents.entries[3]?.sandbox).toBe('s')
    expect(agents.entries[4]?.connectorsRequired).toEqual(['x'])
  })

  test('a trigger has one value for each fact', () => {
    const { triggers } = read(`svc_version: 2
default_agent: a
agents: {a: {}}
triggers:
  - {slug: t, type: cron, prompt: p, prompt_template: q, cron: "* * * * *", schedule: "0 * * * *"}
  - {slug: u, type: cron, prompt_template: q, schedule: "0 * * * *", run_at: "2030-01-01T00:00:00Z", sessionKey: k, enabled: "off", agent_name: b, timezone: Europe/Berlin}
  - {slug: m, type: monitor, prompt: p, run: r, mode: poll, interval: 5s, expect_event_within: 1h}
  - {slug: p, type: webhook, prompt: p, secretEnv: S, session_mode: pinned, filter: {a: b}}
  - {slug: k, type: webhook, prompt: p, secret_env: S, session_mode: keyed}
`)
    expect(triggers.problems).toEqual([])
    expect(triggers.entries).toMatchObject([
      { name: 't', agent: 'a', enabled: true, prompt: 'p', cron: '* * * * *', timezone: 'UTC', sessionMode: 'fresh' },
      { agent: 'b', enabled: false, prompt: 'q', cron: null, runAt: '2030-01-01T00:00:00Z', sessionMode: 'keyed' },
      { sessionMode: 'reuse', intervalSeconds: 30, expectEventWithinSeconds: 3600, mode: 'poll' },
      { sessionMode: 'reuse', secretEnv: 'S', filter: { a: 'b' } },
      { sessionMode: 'fresh' },
    ])
  })

  test('without a default agent a trigger has the sentinel', () => {
    const { triggers } = read('svc_version: 1\ntriggers: [{slug: t, type: cron, prompt: p, cron: "* * * * *"}]')
    expect(triggers.entries[0]?.agent).toBe('default')
  })

  test('a connector: shared credential, project strategy, dropped headers', () => {
    const { connectors } = read(
      'svc_version: 1\nconnectors: [{slug: c, provider: http, baseUrl: u, headers: {a: "b", x: "\\x01"}, credential: per_user, policies: [{match: a, action: block}]}]',
    )
    expect(connectors.entries).toMatchObject([
      {
        name: 'c',
        baseUrl: 'u',
        credential: 'shared',
        authorizationStrategy: 'project',
        auth: null,
        headers: { a: 'b' },
      },
    ])
    expect(connectors.entries[0]?.policies).toEqual([{ match: 'a', action: 'block' }])
  })

  test('templates are clamped and environment names are upper case', () => {
    const resolved = read(
      'svc_version: 1\nenv: {required: [api_key]}\nsandbox: {templates: [{slug: t, image: "a:1", cpu: 99}]}',
    )
    expect(resolved.templates.entries).toMatchObject([{ slug: 't', cpu: 32, memoryGib: null }])
    expect(resolved.env.required).toEqual(['API_KEY'])
  })
})

describe('one bad entry is reported next to the good ones', () => {
  test('in every section', () => {
    const resolved = read(`svc_version: 2
default_agent: a
agents: {a: {}, b: {model: x}, "Bad Name": {}}
triggers: [{slug: t, type: cron, prompt: p, cron: "* * * * *"}, {slug: bad, type: cron, prompt: p, cron: nonsense}, 5, {slug: t, type: cron, prompt: p, cron: "* * * * *"}]
connectors: [{slug: ok, provider: composio}, {slug: no, provider: mcp}]
apps: {site: {}, bad: {port: 8080}}
`)
    expect(resolved.agents.entries.map((agent) => agent.name)).toEqual(['a'])
    expect(resolved.agents.problems.map((problem) => problem.slug).sort()).toEqual(['Bad Name', 'b'])
    expect(resolved.triggers.entries.map((trigger) => trigger.slug)).toEqual(['t'])
    expect(resolved.triggers.problems).toMatchObject([
      { slug: 'bad', message: expect.stringContaining('cron') },
      { slug: 'triggers[2]' },
      { slug: 't', message: expect.stringContaining('already used') },
    ])
    expect(resolved.connectors.problems).toMatchObject([{ slug: 'no', message: expect.stringContaining('url') }])
    expect(resolved.apps.problems).toMatchObject([{ slug: 'bad' }])
  })

  test('a section of the wrong kind is one problem', () => {
    expect(read('svc_version: 1\ntriggers: {a: b}').triggers.problems).toMatchObject([{ slug: 'triggers' }])
    expect(read('svc_version: 2\nagents: [a]').agents.problems).toMatchObject([{ slug: 'agents' }])
  })
})
