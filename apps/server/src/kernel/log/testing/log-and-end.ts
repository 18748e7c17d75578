import { createLogger } from '../index.ts'

const log = createLogger()
for (let line = 0; line < 500; line++) log.info(`line ${line}`)
if (process.env.END === 'exit') process.exit(0)
if (process.env.END === 'throw') throw new Error('the process fell over')
if (process.env.END === 'graceful') process.on('SIGTERM', () => setTimeout(() => process.exit(7), 20))
setInterval(() => undefined, 1_000)
// Still in the same turn of the event loop: nothing was flushed on its own yet.
process.kill(process.pid, 'SIGTERM')
