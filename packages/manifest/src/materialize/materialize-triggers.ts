import {
  MONITOR_EXPECT_EVENT_FLOOR_SECONDS,
  MONITOR_INTERVAL_FLOOR_SECONDS,
  type MONITOR_MODES,
  type SESSION_MODES,
  type TRIGGER_TYPES,
} from '../constants.ts'
import { own, ownMap, ownText, type PlainMap } from '../plain-data.ts'
import { durationSeconds } from '../schedule.ts'
import { trigger } from '../sections/triggers.ts'
import { type Materialized, materializeEntries, namedItems } from './check-entries.ts'
import { readEnabled } from './read-enabled.ts'

type TriggerType = (typeof TRIGGER_TYPES)[number]
type SessionMode = (typeof SESSION_MODES)[number]
type MonitorMode = (typeof MONITOR_MODES)[number]

/** A trigger with every default applied and one value for each fact. */
export interface ResolvedTrigger {
  slug: string
  type: TriggerType
  name: string
  /** The default agent when none is named; the word `default` while the manifest names no default agent. */
  agent: string
  enabled: boolean
  prompt: string
  sessionMode: SessionMode
  sessionKey: string | null
  sessionId: string | null
  filter: Record<string, string>
  /** Null when `runAt` decides or the trigger is no schedule. */
  cron: string | null
  runAt: string | null
  timezone: string
  secretEnv: string | null
  run: string | null
  mode: MonitorMode | null
  intervalSeconds: number | null
  expectEventWithinSeconds: number | null
}

export function materializeTriggers(manifest: PlainMap): Materialized<ResolvedTrigger> {
  const named = namedItems(own(manifest, 'triggers'), 'triggers', 'slug')
  return materializeEntries(manifest, named, trigger, (entry, slug) => resolveTrigger(manifest, entry, slug))
}

function resolveTrigger(manifest: PlainMap, entry: PlainMap, slug: string): ResolvedTrigger {
  const first = (...keys: string[]) => keys.map((key) => ownText(entry, key)).find((text) => text !== undefined) ?? null
  const type = typeOf(entry)
  const runAt = first('run_at', 'runAt')
  const sessionKey = first('session_key', 'sessionKey')
  const sessionId = first('session_id', 'sessionId')
  return {
    slug,
    type,
    name: first('name') || slug,
    agent: first('agent', 'agent_name') ?? ownText(manifest, 'default_agent') ?? 'default',
    enabled: readEnabled(own(entry, 'enabled')) ?? false,
    prompt: first('prompt', 'prompt_template') ?? '',
    sessionMode: sessionModeOf(first('session_mode', 'sessionMode'), type, sessionKey, sessionId),
    sessionKey,
    sessionId,
    filter: textValues(ownMap(entry, 'filter') ?? {}),
    cron: runAt === null ? first('cron', 'schedule') : null,
    runAt,
    timezone: first('timezone') ?? 'UTC',
    secretEnv: first('secret_env', 'secretEnv'),
    run: first('run'),
    mode: monitorModeOf(entry),
    intervalSeconds: floored(entry, 'interval', MONITOR_INTERVAL_FLOOR_SECONDS),
    expectEventWithinSeconds: floored(entry, 'expect_event_within', MONITOR_EXPECT_EVENT_FLOOR_SECONDS),
  }
}

/** `pinned` without a session falls back to `reuse`; `keyed` without a key makes every fire fresh. */
function sessionModeOf(written: string | null, type: TriggerType, key: string | null, id: string | null): SessionMode {
  if (written === 'pinned') return id === null ? 'reuse' : 'pinned'
  if (written === 'keyed') return key === null ? 'fresh' : 'keyed'
  if (written === 'fresh' || written === 'reuse') return written
  if (key !== null) return 'keyed'
  return type === 'monitor' ? 'reuse' : 'fresh'
}

function typeOf(entry: PlainMap): TriggerType {
  const type = own(entry, 'type')
  return type === 'webhook' || type === 'monitor' ? type : 'cron'
}

function monitorModeOf(entry: PlainMap): MonitorMode | null {
  const mode = own(entry, 'mode')
  return mode === 'poll' || mode === 'stream' ? mode : null
}

function floored(entry: PlainMap, key: string, floorSeconds: number): number | null {
  const seconds = durationSeconds(own(entry, key))
  return seconds === undefined ? null : Math.max(seconds, floorSeconds)
}

function textValues(map: PlainMap): Record<string, string> {
  return Object.fromEntries(Object.entries(map).filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
}
