/**
 * The model gateway with the official clients of OpenAI and Anthropic, and what their calls cost:
 *
 *   npm start                                                   # in one terminal
 *   SVC_TOKEN=svc_pat_… npm run example:official-clients        # in another
 *
 * SVC_MODEL names another model than the scripted one, which is built in and costs nothing.
 */

import Anthropic from '@anthropic-ai/sdk'
import { createSvc, isApiError } from '@svc/sdk'
import OpenAI from 'openai'

export async function run(): Promise<void> {
  try {
    await tour(process.env.SVC_MODEL ?? 'scripted')
  } catch (error) {
    console.error(isApiError(error) ? `${error.code}: ${error.message}` : error)
    process.exitCode = 1
  }
}

export async function tour(model: string): Promise<{ readonly calls: number; readonly cost: number }> {
  const url = (process.env.SVC_URL ?? 'http://127.0.0.1:8008').replace(/\/+$/, '')
  const svc = createSvc({ backendUrl: url, getToken: async () => process.env.SVC_TOKEN ?? null })
  const { project_id: projectId } = await svc.projects.provision({ name: `Clients ${Date.now().toString(36)}` })
  const { gateway } = svc.project(projectId)
  const { secret_key: apiKey } = await gateway.createKey('official clients')

  const openai = new OpenAI({ apiKey, baseURL: `${url}/v1/llm` })
  const anthropic = new Anthropic({ apiKey, baseURL: `${url}/v1/llm` })
  const messages = [{ role: 'user' as const, content: 'Say hello.' }]

  const listed = await openai.models.list()
  say('models', listed.data.map(({ id }) => id).join(', '))

  const chat = await openai.chat.completions.create({ model, messages })
  say('chat', chat.choices[0]?.message.content)

  let streamed = ''
  for await (const chunk of await openai.chat.completions.create({ model, messages, stream: true })) {
    streamed += chunk.choices[0]?.delta.content ?? ''
  }
  say('chat, streamed', streamed)

  const response = await openai.responses.create({ model, input: 'Say hello.' })
  say('responses', response.output_text)

  const message = await anthropic.messages.create({ model, max_tokens: 200, messages })
  say('messages', message.content.map((block) => (block.type === 'text' ? block.text : block.type)).join(''))

  const stream = anthropic.messages.stream({ model, max_tokens: 200, messages })
  say('messages, streamed', await stream.finalText())

  const { logs } = await gateway.logs()
  const { requests, total_cost } = await gateway.overview()
  for (const log of logs) say(log.request_id, `${log.input_tokens} in, ${log.output_tokens} out, $${log.total_cost}`)
  say('in all', `${requests} calls, $${total_cost}`)
  return { calls: requests, cost: total_cost }
}

function say(what: string, text: string | null | undefined): void {
  console.log(`${what}: ${(text ?? '').trim().split('\n')[0]?.slice(0, 100)}`)
}
