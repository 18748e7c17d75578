import type { GitSettings } from './git-environment.ts'

/** Discovery and push must agree on what is offered. */
export const receiveSettings: GitSettings = {
  'receive.fsckObjects': 'true',
  // Old histories hold modes like 040000 written as 40000 with a leading zero: harmless, and common.
  'receive.fsck.zeroPaddedFilemode': 'ignore',
  'receive.autogc': 'false',
  'receive.advertiseAtomic': 'true',
  'receive.advertisePushOptions': 'false',
  'receive.denyDeleteCurrent': 'refuse',
  'receive.denyDeletes': 'false',
  'receive.denyNonFastForwards': 'false',
  'receive.updateServerInfo': 'false',
}
