import { own, type PlainMap } from '../plain-data.ts'
import type { CheckContext } from '../shape/check-context.ts'
import { filled, list, record, text } from '../shape/shape.ts'
import { enabled } from './values.ts'

const channel = record(
  {
    platform: filled({ about: 'Platform of the channel.' }),
    enabled,
    events: list(text(), { about: 'Events that reach the project.' }),
  },
  { name: 'channel', check: checkPlatform },
)

/** Version 1 only: one entry per platform. */
export const channels = list(channel, { unique: 'platform', about: 'Channels of the project.' })

function checkPlatform(channel: PlainMap, context: CheckContext): void {
  if (own(channel, 'platform') === undefined) {
    context.warn('a channel without `platform` has no effect; add `platform`', ['platform'])
  }
}
