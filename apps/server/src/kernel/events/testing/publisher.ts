import { connectDatabase, parseConnectionString } from '../../database/index.ts'
import { createLogger } from '../../log/index.ts'
import { defineTopic, startEvents } from '../index.ts'

/** Another process: publishes what it is told to and reports what it hears. */
const { url = '' } = process.env
const { sql, disconnect } = connectDatabase(parseConnectionString(url), { maxConnections: 4 })
const log = createLogger()
const events = await startEvents({ sql, log })
const numbers = defineTopic<{ n: number }>('numbers')
const echoes = defineTopic<{ n: number }>('echoes')
let heard = 0
events.subscribe(echoes, () => {
  heard += 1
  if (heard === 100) process.send?.({ heard })
})
process.send?.('ready')
await new Promise((resolve) => process.once('message', resolve))
for (let n = 0; n < 100; n++) await events.publish(numbers, { n })
await new Promise((resolve) => process.once('message', resolve))
await events.stop()
await disconnect()
process.disconnect()
