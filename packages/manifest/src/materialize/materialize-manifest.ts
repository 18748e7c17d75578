import { AGENT_RUNTIMES, DEFAULT_CONFIG_DIR, PLATFORM_TEMPLATE_SLUG, TEMPLATE_CEILINGS } from '../constants.ts'
import { own, ownList, ownMap, ownText, type PlainMap } from '../plain-data.ts'
import { apps as appsShape } from '../sections/apps.ts'
import { sandboxTemplate } from '../sections/sandbox.ts'
import { type Materialized, materializeEntries, namedItems } from './check-entries.ts'
import { materializeAgents, type ResolvedAgent } from './materialize-agents.ts'
import { materializeConnectors, type ResolvedConnector } from './materialize-connectors.ts'
import { materializeTriggers, type ResolvedTrigger } from './materialize-triggers.ts'

export interface ResolvedTemplate {
  slug: string
  name: string
  image: string | null
  dockerfile: string | null
  entrypoint: string | null
  /** Null: the provider's own default. */
  cpu: number | null
  memoryGib: number | null
  diskGib: number | null
}

export interface ResolvedApp {
  name: string
  settings: PlainMap
}

export interface ResolvedManifest {
  version: number | null
  name: string | null
  description: string | null
  defaultAgent: string | null
  runtime: (typeof AGENT_RUNTIMES)[number]
  configDir: string
  env: { required: string[]; optional: string[] }
  sandboxDefault: string
  templates: Materialized<ResolvedTemplate>
  agents: Materialized<ResolvedAgent>
  triggers: Materialized<ResolvedTrigger>
  connectors: Materialized<ResolvedConnector>
  apps: Materialized<ResolvedApp>
}

/** A manifest with every default applied. Bad entries are reported next to the good ones; nothing throws. */
export function materializeManifest(manifest: PlainMap): ResolvedManifest {
  const version = own(manifest, 'svc_version')
  const sandbox = ownMap(manifest, 'sandbox') ?? {}
  const project = ownMap(manifest, 'project') ?? {}
  const env = ownMap(manifest, 'env') ?? {}
  return {
    version: version === 1 || version === 2 ? version : null,
    name: ownText(project, 'name') ?? null,
    description: ownText(project, 'description') ?? null,
    defaultAgent: ownText(manifest, 'default_agent') ?? null,
    runtime: AGENT_RUNTIMES.find((runtime) => runtime === own(manifest, 'runtime')) ?? 'opencode',
    configDir: ownText(ownMap(manifest, 'opencode') ?? {}, 'config_dir') ?? DEFAULT_CONFIG_DIR,
    env: { required: upperNames(env, 'required'), optional: upperNames(env, 'optional') },
    sandboxDefault: ownText(sandbox, 'default') || PLATFORM_TEMPLATE_SLUG,
    templates: materializeTemplates(manifest, sandbox),
    agents: materializeAgents(manifest),
    triggers: materializeTriggers(manifest),
    connectors: materializeConnectors(manifest),
    apps: materializeApps(manifest),
  }
}

export function materializeTemplates(manifest: PlainMap, sandbox: PlainMap): Materialized<ResolvedTemplate> {
  const named = namedItems(own(sandbox, 'templates'), 'sandbox.templates', 'slug')
  return materializeEntries(manifest, named, sandboxTemplate, (entry, slug) => ({
    slug,
    name: ownText(entry, 'name') ?? slug,
    image: ownText(entry, 'image') ?? null,
    dockerfile: ownText(entry, 'dockerfile') ?? null,
    entrypoint: ownText(entry, 'entrypoint') ?? null,
    cpu: clamped(entry, 'cpu', TEMPLATE_CEILINGS.cpu),
    memoryGib: clamped(entry, 'memory', TEMPLATE_CEILINGS.memory),
    diskGib: clamped(entry, 'disk', TEMPLATE_CEILINGS.disk),
  }))
}

function materializeApps(manifest: PlainMap): Materialized<ResolvedApp> {
  const section = own(manifest, 'svc_version') === 2 ? ownMap(manifest, 'apps') : undefined
  const named = Object.entries(section ?? {}).map(([name, value]) => ({ name, value }))
  return materializeEntries(manifest, named, appsShape.values, (settings, name) => ({ name, settings }))
}

function clamped(entry: PlainMap, key: string, ceiling: number): number | null {
  const value = own(entry, key)
  return typeof value === 'number' ? Math.min(value, ceiling) : null
}

function upperNames(env: PlainMap, key: string): string[] {
  return ownList(env, key).flatMap((name) => (typeof name === 'string' ? [name.toUpperCase()] : []))
}
