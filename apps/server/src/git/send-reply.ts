import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { GitReply } from './serve-service.ts'

/**
 * Writes a reply straight to Node's response, with back-pressure. When the client leaves, the reply's body is destroyed,
 * which ends git; that is no failure of ours and is not thrown.
 */
export async function sendGitReply(reply: GitReply<unknown>, response: ServerResponse): Promise<void> {
  response.writeHead(reply.status, { ...reply.headers })
  try {
    await pipeline(reply.body, response)
  } catch (error) {
    if (!response.destroyed && !response.closed) throw error
  }
}
