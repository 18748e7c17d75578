import { connectDatabase, parseConnectionString } from '../../database/index.ts'
import { createRateLimits } from '../index.ts'

/** One process of several: takes as fast as it can and reports how often it was allowed. */
const { url = '', calls = '0', limit = '0', windowMs = '0' } = process.env
const { sql, disconnect } = connectDatabase(parseConnectionString(url), { maxConnections: 12 })
const limited = createRateLimits({ sql }).rateLimit({
  name: 'hammer',
  limit: Number(limit),
  windowMs: Number(windowMs),
})
await limited.take('warm-up')
process.send?.('ready')
await new Promise((resolve) => process.once('message', resolve))
const takes = await Promise.all(Array.from({ length: Number(calls) }, () => limited.take('one-key')))
await disconnect()
process.send?.(
  takes.map(({ allowed, remaining }) => ({ allowed, remaining })),
  () => process.disconnect(),
)
