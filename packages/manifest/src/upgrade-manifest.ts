import { AGENT_RUNTIMES } from './constants.ts'
import { isGrantWord } from './grants.ts'
import { SVC_CLI_PERMISSIONS_V1_ONLY } from './permissions.ts'
import { clonePlain, isMap, own, ownList, ownText, type PlainMap, put } from './plain-data.ts'
import { AGENT_NAME } from './sections/agents-v2.ts'

export interface ManifestUpgrade {
  /** Version 2, with `svc_version` first. */
  manifest: PlainMap
  /** What was changed, one sentence each, with the path it stood at. */
  changed: UpgradeNote[]
  /** What has no place in version 2, or needs a person's choice. */
  notCarried: UpgradeNote[]
}

export interface UpgradeNote {
  path: string
  message: string
}

export interface UpgradeOptions {
  /** The runtime configuration's default agent. */
  defaultAgent?: string
  /** Agents that have a Markdown file; those without an entry were unrestricted. */
  agentNames?: readonly string[]
}

const RETIRED = new Set<unknown>(SVC_CLI_PERMISSIONS_V1_ONLY)
const MOVED_KEYS = ['svc_version', 'agents', 'default_agent', 'channels', 'connectors']

/**
 * Turns a version 1 manifest into version 2. Pure: the input stays as it is, and what is omitted in version 1 is
 * written out, since version 2 omits to none. Anything that was dropped is listed.
 */
export function upgradeManifest(manifest: PlainMap, options: UpgradeOptions = {}): ManifestUpgrade {
  const notes: Notes = { changed: [], notCarried: [] }
  const source = clonePlain(manifest)
  if (!isMap(source) || own(source, 'svc_version') === 2) {
    const message = 'The manifest is version 2 already; nothing was changed.'
    return { manifest: isMap(source) ? source : {}, changed: [], notCarried: [{ path: 'svc_version', message }] }
  }
  const agents = upgradeAgents(source, options, notes)
  const result: PlainMap = { svc_version: 2, default_agent: chooseDefault(source, agents, options, notes), agents }
  notes.changed.push({ path: 'svc_version', message: 'Set to 2.' })
  for (const key of Object.keys(source)) if (!MOVED_KEYS.includes(key)) put(result, key, source[key])
  const connectors = own(source, 'connectors')
  if (connectors !== undefined) result.connectors = upgradeConnectors(connectors, notes)
  dropChannels(source, notes)
  dropForbidden(result, notes)
  return { manifest: result, ...notes }
}

interface Notes {
  changed: UpgradeNote[]
  notCarried: UpgradeNote[]
}

function upgradeAgents(source: PlainMap, options: UpgradeOptions, notes: Notes): PlainMap {
  const agents: PlainMap = {}
  for (const [index, entry] of ownList(source, 'agents').entries()) {
    const name = isMap(entry) ? ownText(entry, 'name') : undefined
    if (!isMap(entry) || name === undefined || Object.hasOwn(agents, name)) {
      notes.notCarried.push({ path: `agents[${index}]`, message: 'Has no name of its own; add it by hand.' })
      continue
    }
    put(agents, name, upgradeAgent(entry, `agents[${index}]`, notes))
    notes.changed.push({ path: `agents[${index}]`, message: `Moved to agents.${name}.` })
  }
  for (const name of new Set([...(options.agentNames ?? []), ...namedElsewhere(source)])) {
    if (Object.hasOwn(agents, name)) continue
    if (AGENT_NAME.test(name)) put(agents, name, unrestricted(name, notes))
    else notes.notCarried.push({ path: 'agents', message: `${JSON.stringify(name)} cannot be the name of an agent.` })
  }
  if (Object.keys(agents).length === 0) {
    const wanted = options.defaultAgent ?? ''
    const name = AGENT_NAME.test(wanted) ? wanted : 'svc'
    put(agents, name, unrestricted(name, notes))
  }
  return agents
}

/** Version 1 agents named by triggers need no entry; version 2 agents do. */
function namedElsewhere(source: PlainMap): string[] {
  return ownList(source, 'triggers').flatMap((trigger) => {
    if (!isMap(trigger)) return []
    const name = ownText(trigger, 'agent') ?? ownText(trigger, 'agent_name')
    return name === undefined || name === '' || name === 'default' ? [] : [name]
  })
}

function unrestricted(name: string, notes: Notes): PlainMap {
  notes.changed.push({
    path: `agents.${name}`,
    message: 'Had no entry and so was unrestricted; every grant is now written.',
  })
  return { connectors: 'all', secrets: 'all', skills: 'all', svc_cli: 'all' }
}

function upgradeAgent(entry: PlainMap, path: string, notes: Notes): PlainMap {
  const agent: PlainMap = {
    connectors: own(entry, 'connectors') ?? 'none',
    secrets: own(entry, 'env') ?? 'all',
    skills: 'all',
    svc_cli: keepPermissions(own(entry, 'svc_cli') ?? 'none', path, notes),
  }
  if (own(entry, 'env') === undefined)
    notes.changed.push({ path: `${path}.env`, message: 'Was omitted, which meant all; `secrets: all` is now written.' })
  else notes.changed.push({ path: `${path}.env`, message: 'Renamed to `secrets`.' })
  for (const key of Object.keys(entry)) {
    if (['name', 'connectors', 'env', 'svc_cli'].includes(key)) continue
    notes.notCarried.push({
      path: `${path}.${key}`,
      message: 'Is not a key of a version 2 agent; move it to the agent file if it is behaviour.',
    })
  }
  return agent
}

function keepPermissions(granted: unknown, path: string, notes: Notes): unknown {
  if (!Array.isArray(granted)) return isGrantWord(granted) ? granted : 'none'
  return granted.filter((name: unknown, index) => {
    if (!RETIRED.has(name)) return true
    notes.notCarried.push({
      path: `${path}.svc_cli[${index}]`,
      message: `${String(name)} is retired and had no effect.`,
    })
    return false
  })
}

function chooseDefault(source: PlainMap, agents: PlainMap, options: UpgradeOptions, notes: Notes): string {
  const declared = ownText(source, 'default_agent')
  const wanted = options.defaultAgent ?? declared
  const names = Object.keys(agents)
  const chosen =
    wanted !== undefined && Object.hasOwn(agents, wanted)
      ? wanted
      : (names.find((name) => name === 'svc') ?? names[0] ?? 'svc')
  notes.changed.push({ path: 'default_agent', message: `Set to ${chosen}.` })
  if (wanted === undefined && names.length > 1) {
    notes.notCarried.push({
      path: 'default_agent',
      message: `Version 1 names no default agent; ${chosen} was assumed. Check it.`,
    })
  }
  return chosen
}

function upgradeConnectors(connectors: unknown, notes: Notes): unknown {
  if (!Array.isArray(connectors)) return connectors
  for (const [index, connector] of connectors.entries()) {
    if (!isMap(connector)) continue
    if (own(connector, 'credential') !== undefined && own(connector, 'credential') !== 'shared') {
      drop(
        connector,
        'credential',
        `connectors[${index}]`,
        'Only shared credentials remain; set `authorization_strategy: user` for personal connections.',
        notes,
      )
    }
    if (own(connector, 'agent_scope') !== undefined) {
      drop(connector, 'agent_scope', `connectors[${index}]`, 'Grant the connector on each agent instead.', notes)
    }
  }
  return connectors
}

function dropChannels(source: PlainMap, notes: Notes): void {
  for (const [index, channel] of ownList(source, 'channels').entries()) {
    const platform = isMap(channel) ? ownText(channel, 'platform') : undefined
    notes.notCarried.push({
      path: `channels[${index}]`,
      message: `Channels are connectors now; a connected ${platform ?? 'channel'} stays one with \`provider: channel\`.`,
    })
  }
}

/** Keys version 1 accepted unseen that version 2 gives a meaning. */
function dropForbidden(result: PlainMap, notes: Notes): void {
  if (own(result, 'sandboxes') !== undefined) drop(result, 'sandboxes', '', 'The name is `sandbox.templates`.', notes)
  const runtime = own(result, 'runtime')
  if (runtime !== undefined && !AGENT_RUNTIMES.some((known) => known === runtime)) {
    drop(result, 'runtime', '', 'In version 2 `runtime` is the name of the agent runtime.', notes)
  }
}

function drop(map: PlainMap, key: string, path: string, message: string, notes: Notes): void {
  notes.notCarried.push({ path: path === '' ? key : `${path}.${key}`, message })
  delete map[key]
}
