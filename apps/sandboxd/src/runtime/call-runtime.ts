import { type Daemon, isSettled } from '../daemon.ts'

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

/** As soon as there is a workspace to load: what the runtime loads with its first request is there when that one comes. */
export async function wakeRuntime(daemon: Daemon): Promise<void> {
  const path = daemon.boot?.runtime?.wakePath
  const never = new AbortController().signal
  while (!isSettled(daemon)) await daemon.timeline.next(never)
  if (path === undefined || daemon.repository.status === 'failed' || daemon.runtime?.state !== 'ok') return
  // It answers later, or never; whoever asks next finds out.
  await fetch(`http://127.0.0.1:${daemon.runtime.port}${path}`).then(
    (response) => response.arrayBuffer(),
    () => undefined,
  )
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
