import { z } from 'zod'
import type { Tx } from '../../kernel/database/index.ts'
import { defineTopic } from '../../kernel/events/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { changeSettingsRow, readSettingsRow, type SettingsChange, type SettingsRow } from './store.ts'

export type Entitlement = 'rbac' | 'auditAccess' | 'branding'

/** What the operator decides for the whole instance. */
export interface InstanceSettings {
  readonly signUp: 'open' | 'invitation' | 'closed'
  /** `auto`: addresses are confirmed exactly when mail can leave this instance. */
  readonly emailConfirmation: 'auto' | 'on' | 'off'
  /** Addresses an app may be returned to; each is compared whole. */
  readonly redirectAllowList: readonly string[]
  readonly entitlements: readonly Entitlement[]
  readonly accountCreation: 'everyone' | 'operators'
  /** False until the first-run link was used. */
  readonly isClaimed: boolean
}

export type InstanceSettingsChange = Partial<Omit<InstanceSettings, 'isClaimed'>>

export interface InstanceSettingsStore {
  /** At most a second old on every node. */
  read(): Promise<InstanceSettings>
  /** Audit is the caller's: it knows who changes what and why. */
  change(tx: Tx, change: InstanceSettingsChange): Promise<InstanceSettings>
  /** Drops what this node remembers and tells the others to. */
  announce(tx: Tx): Promise<void>
}

export const instanceSettingsChanged = defineTopic('instance.settings.changed', z.object({}))

const CACHE_MS = 1_000

export function createInstanceSettings(kernel: Kernel): InstanceSettingsStore {
  let cached: { settings: InstanceSettings; untilMs: number } | undefined
  let generation = 0
  const drop = () => {
    cached = undefined
    generation += 1
  }
  kernel.events.subscribe(instanceSettingsChanged, drop, { onGap: drop })

  async function announce(tx: Tx): Promise<void> {
    await tx.publish(instanceSettingsChanged.event({}))
    tx.afterCommit(drop)
  }

  return {
    announce,
    async read() {
      if (cached && cached.untilMs > kernel.clock.nowMs()) return cached.settings
      const readIn = generation
      const settings = toSettings(await readSettingsRow(kernel.database.db))
      if (readIn === generation) cached = { settings, untilMs: kernel.clock.nowMs() + CACHE_MS }
      return settings
    },
    async change(tx, change) {
      const row = await changeSettingsRow(tx.db, toRow(change), kernel.clock.now())
      await announce(tx)
      return toSettings(row)
    },
  }
}

function toSettings(row: SettingsRow): InstanceSettings {
  return {
    signUp: row.signUp,
    emailConfirmation: row.emailConfirmation,
    redirectAllowList: row.redirectAllowList,
    entitlements: row.entitlements.filter(isEntitlement),
    accountCreation: row.accountCreation,
    isClaimed: row.ownerUserId !== null,
  }
}

function toRow({ redirectAllowList, entitlements, ...change }: InstanceSettingsChange): SettingsChange {
  return {
    ...change,
    ...(redirectAllowList ? { redirectAllowList: [...redirectAllowList] } : {}),
    ...(entitlements ? { entitlements: [...entitlements] } : {}),
  }
}

const isEntitlement = (name: string): name is Entitlement => ['rbac', 'auditAccess', 'branding'].includes(name)
