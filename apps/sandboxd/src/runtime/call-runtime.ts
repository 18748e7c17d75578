import type { Daemon } from '../daemon.ts'

/** One short JSON call to the runtime by the daemon itself. */
export async function callRuntime(daemon: Daemon, method: string, path: string): Promise<unknown> {
  const { runtime, settings } = daemon
  if (runtime?.state !== 'ok') throw new Error('The agent runtime is not up.')
  const url = new URL(path, `http://127.0.0.1:${runtime.port}`)
  url.searchParams.set('directory', settings.workspace)
  const response = await fetch(url, { method, signal: AbortSignal.timeout(10_000) })
  const text = await response.text()
  if (!response.ok) throw new Error(`The agent runtime answered ${response.status} to ${method} ${path}.`)
  return text === '' ? undefined : JSON.parse(text)
}

/** Lets the runtime read its configuration again: in place where it can, else by starting it anew. */
export async function reloadRuntime(daemon: Daemon): Promise<'disposed' | 'restarted' | null> {
  if (daemon.runtime?.state !== 'ok') return null
  try {
    await callRuntime(daemon, 'POST', '/global/dispose')
    return 'disposed'
  } catch (error) {
    console.error('sandboxd: the runtime did not reload in place, starting it anew:', String(error))
    await daemon.runtime.restart()
    return 'restarted'
  }
}
