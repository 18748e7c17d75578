import { readSettings } from './settings.ts'
import { startDaemon } from './start-daemon.ts'

const daemon = await startDaemon(readSettings(process.env))

let isStopping = false
const stop = () => {
  if (isStopping) return
  isStopping = true
  daemon.stop().then(
    () => process.exit(0),
    (error: unknown) => {
      console.error('sandboxd: stopping failed:', error)
      process.exit(1)
    },
  )
}
process.on('SIGTERM', stop)
process.on('SIGINT', stop)
