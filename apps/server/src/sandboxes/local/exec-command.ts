import { request } from 'node:http'
import type { Socket } from 'node:net'
import { json } from 'node:stream/consumers'
import { z } from 'zod'
import type { ExecRequest, ExecResult } from '../provider.ts'

const Result = z.object({
  exitCode: z.number().nullable(),
  signal: z.string().nullable(),
  stdout: z.string(),
  stderr: z.string(),
  truncated: z.boolean(),
})

/** One command inside, by the daemon: it is confined like everything else there. */
export async function execCommand(socket: Socket, serviceKey: string, asked: ExecRequest): Promise<ExecResult> {
  const body = JSON.stringify(asked)
  const answer = await new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    const sent = request({
      method: 'POST',
      path: '/svc/exec',
      host: 'localhost',
      createConnection: () => socket,
      headers: {
        authorization: `Bearer ${serviceKey}`,
        'x-svc-service-call': '1',
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      },
    })
    sent.once('error', reject)
    sent.once('response', (response) => {
      json(response).then((value) => resolve({ status: response.statusCode ?? 0, body: value }), reject)
    })
    sent.end(body)
  })
  if (answer.status !== 200) throw new Error(`the daemon refused to run a command: ${JSON.stringify(answer.body)}`)
  const { exitCode, signal, ...rest } = Result.parse(answer.body)
  return { ...rest, exitCode: exitCode ?? undefined, signal: signal ?? undefined }
}
