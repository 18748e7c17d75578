import { createLogger } from '../index.ts'

// As in the server: whoever touches the stream makes its pipe one that does not block.
if (process.stdout.isTTY) throw new Error('run with a pipe')
const log = createLogger()
for (let line = 0; line < 300; line++) log.error('x'.repeat(4_000))
process.send?.('went on')
