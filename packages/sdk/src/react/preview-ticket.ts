import { callService } from '../client/build-calls.ts'
import { parseCall } from '../client/parse-calls.ts'
import { platformConfig } from '../config/platform-config.ts'
import { firstText, toRecord } from '../wire/read-value.ts'
import { hookClient } from './svc-query.ts'

/** Good for a minute, in an address: what a browser can show where it cannot send a header. Never the token itself. */
export async function askForTicket(): Promise<string> {
  const ticket = firstText(toRecord(await callService(platformConfig, parseCall(['Pp/auth']), [])).ticket)
  if (ticket === undefined) throw new Error('The service gave no ticket for previews and terminals.')
  return ticket
}

/**
 * The address of a preview that a browser may open right now, in a window or a frame, without a header.
 *
 * @example
 * frame.src = await openPreview(projectId, sessionId, 3000, '/')
 */
export async function openPreview(projectId: string, sessionId: string, port: number, path = '/'): Promise<string> {
  const session = hookClient().session(projectId, sessionId)
  await session.ensureReady()
  const address = new URL(session.previewUrl(port, path))
  address.searchParams.set('token', await askForTicket())
  return address.href
}
