import { expect, test } from 'vitest'
import { parseManifestText, serializeManifestObject, upgradeManifest, validateManifest } from './index.ts'

const V1 = `
svc_version = 1
[project]
name = "x"
[[agents]]
name = "support"
connectors = ["github"]
svc_cli = ["project.read", "channel.send"]
model = "m"
[[agents]]
name = "other"
env = ["A"]
[[channels]]
platform = "slack"
[[triggers]]
slug = "t"
type = "cron"
cron = "* * * * *"
prompt = "p"
agent = "unlisted"
[[connectors]]
slug = "github"
provider = "composio"
credential = "per_user"
agent_scope = ["support"]
`

test('a version 1 manifest becomes a valid version 2 one, and nothing disappears unsaid', () => {
  const source = parseManifestText(V1, 'toml')
  const before = structuredClone(source)
  const { manifest, changed, notCarried } = upgradeManifest(source, { defaultAgent: 'support' })
  expect(source).toEqual(before)
  expect(manifest).toEqual({
    svc_version: 2,
    default_agent: 'support',
    agents: {
      support: { connectors: ['github'], secrets: 'all', skills: 'all', svc_cli: ['project.read'] },
      other: { connectors: 'none', secrets: ['A'], skills: 'all', svc_cli: 'none' },
      unlisted: { connectors: 'all', secrets: 'all', skills: 'all', svc_cli: 'all' },
    },
    project: { name: 'x' },
    triggers: [{ slug: 't', type: 'cron', cron: '* * * * *', prompt: 'p', agent: 'unlisted' }],
    connectors: [{ slug: 'github', provider: 'composio' }],
  })
  expect(validateManifest(serializeManifestObject(manifest, 'yaml'), 'yaml').issues).toEqual([])
  expect(notCarried.map((note) => note.path).sort()).toEqual([
    'agents[0].model',
    'agents[0].svc_cli[1]',
    'channels[0]',
    'connectors[0].agent_scope',
    'connectors[0].credential',
  ])
  expect(changed.map((note) => note.path)).toContain('agents[0].env')
})

test('a manifest without agents gets one with every grant', () => {
  expect(upgradeManifest({ svc_version: 1 }).manifest).toEqual({
    svc_version: 2,
    default_agent: 'svc',
    agents: { svc: { connectors: 'all', secrets: 'all', skills: 'all', svc_cli: 'all' } },
  })
  const named = upgradeManifest({ svc_version: 1 }, { agentNames: ['a', 'b'] })
  expect(Object.keys(named.manifest.agents ?? {})).toEqual(['a', 'b'])
  expect(named.notCarried.map((note) => note.path)).toEqual(['default_agent'])
})

test('a version 2 manifest is left alone', () => {
  const manifest = { svc_version: 2, default_agent: 'a', agents: { a: {} } }
  expect(upgradeManifest(manifest)).toMatchObject({ manifest, changed: [] })
})
