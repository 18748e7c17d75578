import { serveBridge } from './serve-bridge.ts'
import { readSettings } from './settings.ts'

/** `pi-bridge.mjs <settings.json>`: an agent runtime on loopback, with pi behind it. */

const path = process.argv[2]
if (path === undefined) {
  console.error('usage: pi-bridge <settings file>')
  process.exit(2)
}
const settings = readSettings(path)
const { stop } = await serveBridge(settings)
console.log(`pi bridge listening on http://127.0.0.1:${settings.port}`)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop().then(() => process.exit(0)))
