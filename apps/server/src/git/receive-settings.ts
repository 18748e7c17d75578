import type { GitSettings } from './git-environment.ts'

/**
 * Discovery and push must agree on what is offered. Every object is checked; the two exceptions are slips of old tools
 * that many honest histories hold.
 */
export const receiveSettings: GitSettings = {
  'receive.fsckObjects': 'true',
  'receive.fsck.zeroPaddedFilemode': 'ignore',
  'receive.fsck.badTimezone': 'ignore',
  'receive.autogc': 'false',
  'receive.advertiseAtomic': 'true',
  'receive.advertisePushOptions': 'false',
  'receive.denyDeleteCurrent': 'refuse',
  'receive.denyDeletes': 'false',
  'receive.denyNonFastForwards': 'false',
  'receive.updateServerInfo': 'false',
}
