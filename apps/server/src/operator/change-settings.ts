import type { InstanceSettings as InstanceSettingsRecord } from '@svc/contract'
import type { z } from 'zod'
import type { InstanceSettings } from '../identity/index.ts'
import type { Actor } from '../kernel/actor.ts'
import type { OperatorOptions } from './options.ts'

type SettingsRecord = z.input<typeof InstanceSettingsRecord>
type Change = { readonly [Name in keyof Omit<SettingsRecord, 'is_claimed'>]?: SettingsRecord[Name] | undefined }

/** What the body does not name stays as it is. */
export async function changeSettings({ kernel, settings }: OperatorOptions, change: Change, actor: Actor) {
  const { sign_up, email_confirmation, redirect_allow_list, entitlements, account_creation } = change
  const before = toSettings(await settings.read())
  return kernel.database.transact(actor, async (tx) => {
    const changed = await settings.change(tx, {
      ...(sign_up === undefined ? {} : { signUp: sign_up }),
      ...(email_confirmation === undefined ? {} : { emailConfirmation: email_confirmation }),
      ...(redirect_allow_list === undefined ? {} : { redirectAllowList: [...new Set(redirect_allow_list)] }),
      ...(entitlements === undefined ? {} : { entitlements: [...new Set(entitlements)] }),
      ...(account_creation === undefined ? {} : { accountCreation: account_creation }),
    })
    const after = toSettings(changed)
    await tx.audit({
      action: 'operator.settings.update',
      outcome: 'success',
      resourceType: 'instance_settings',
      before,
      after,
    })
    return after
  })
}

export function toSettings(settings: InstanceSettings): SettingsRecord {
  return {
    sign_up: settings.signUp,
    email_confirmation: settings.emailConfirmation,
    redirect_allow_list: [...settings.redirectAllowList],
    entitlements: [...settings.entitlements],
    account_creation: settings.accountCreation,
    is_claimed: settings.isClaimed,
  }
}
