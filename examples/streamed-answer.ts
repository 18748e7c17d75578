/**
 * A prompt, its answer as it is written, and what the agent left behind, with the client library:
 *
 *   npm start                                                   # in one terminal
 *   SVC_TOKEN=svc_pat_… npm run example:streamed-answer         # in another
 */

import { classifyTurn, createSvc, isApiError } from '@svc/sdk'

export async function run(): Promise<void> {
  const svc = createSvc({
    backendUrl: process.env.SVC_URL ?? 'http://127.0.0.1:8008',
    getToken: async () => process.env.SVC_TOKEN ?? null,
  })
  try {
    await followAnswer(svc)
  } catch (error) {
    console.error(isApiError(error) ? `${error.code}: ${error.message}` : error)
    process.exitCode = 1
  }
}

async function followAnswer(svc: ReturnType<typeof createSvc>): Promise<void> {
  const { project_id: projectId } = await svc.projects.provision({ name: `Example ${Date.now().toString(36)}` })
  const { session_id: sessionId } = await svc.project(projectId).sessions.create()
  const session = svc.session(projectId, sessionId ?? '')

  const stream = session.stream({
    onEvent({ type, properties }) {
      if (type === 'message.part.delta') process.stdout.write(String(properties.delta))
    },
  })
  const answer = await session.send('```script\nwrite hello.txt: Hello\\n\nrun cat hello.txt\nfinish Done.\n```')
  stream.close()

  const { parts } = classifyTurn(answer)
  console.log(`\nthe last message has ${parts.length} parts`)
  console.log(`hello.txt: ${(await session.files.read('hello.txt')).content.trim()}`)
  await session.stop()
}
