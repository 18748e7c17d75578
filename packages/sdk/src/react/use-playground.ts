'use client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { platformConfig } from '../config/platform-config.ts'
import { createSseParser, readSse } from '../events/parse-sse.ts'
import { toApiError } from '../http/report-error.ts'
import { sendRequest } from '../http/send-request.ts'
import { parseJson } from '../wire/parse-json.ts'
import { toList, toRecord, toText } from '../wire/read-value.ts'
import type { MaybeId } from './svc-query.ts'

/** One model's answer in the playground, as far as it has come. */
export interface PlaygroundAnswer {
  readonly model: string
  readonly text: string
  readonly state: 'waiting' | 'answering' | 'done' | 'failed' | 'stopped'
  /** The model that answered, when another took over. */
  readonly answeredBy?: string | undefined
  readonly firstWordMs?: number | undefined
  readonly totalMs?: number | undefined
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly error?: Error | undefined
}

/** What every model is asked. */
export interface PlaygroundQuestion {
  readonly prompt: string
  readonly system?: string | undefined
  readonly models: readonly string[]
  readonly maxOutputTokens?: number | undefined
}

const ANSWER_TOKENS = 1024
const FIRST_BYTE_MS = 120_000

/**
 * Asks several models the same at once; each answer grows as it comes. `stop` ends those still answering.
 *
 * @example
 * const { answers, ask, stop } = usePlayground(projectId)
 * ask({ prompt: 'Explain git in one sentence.', models: ['small', 'large'] })
 */
export function usePlayground(projectId: MaybeId) {
  const [answers, setAnswers] = useState<readonly PlaygroundAnswer[]>([])
  const running = useRef<AbortController>(null)
  const stop = useCallback(() => running.current?.abort(), [])
  useEffect(() => stop, [stop])
  const ask = useCallback(
    async (question: PlaygroundQuestion) => {
      if (!projectId) return
      running.current?.abort()
      const controller = new AbortController()
      running.current = controller
      setAnswers(question.models.map((model) => ({ model, text: '', state: 'waiting' })))
      const change = (at: number) => (part: Partial<PlaygroundAnswer>) => {
        // Answers to an earlier question that still trickle in are nobody's any more.
        if (running.current !== controller) return
        setAnswers((all) => all.map((one, index) => (index === at ? { ...one, ...part } : one)))
      }
      await Promise.all(
        question.models.map((model, at) => askModel(projectId, question, model, controller.signal, change(at))),
      )
    },
    [projectId],
  )
  const isAnswering = answers.some(({ state }) => state === 'waiting' || state === 'answering')
  return { answers, isAnswering, ask, stop }
}

async function askModel(
  projectId: string,
  { prompt, system, maxOutputTokens = ANSWER_TOKENS }: PlaygroundQuestion,
  model: string,
  signal: AbortSignal,
  change: (part: Partial<PlaygroundAnswer>) => void,
): Promise<void> {
  const startedAt = performance.now()
  const sinceStart = () => Math.round(performance.now() - startedAt)
  const body = {
    model,
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: maxOutputTokens,
    messages: [...(system ? [{ role: 'system', content: system }] : []), { role: 'user', content: prompt }],
  }
  const path = `projects/${encodeURIComponent(projectId)}/gateway/playground/stream`
  // The protocol says when an answer is whole; the connection may stay for longer.
  const ended = new AbortController()
  signal.addEventListener('abort', () => ended.abort(), { once: true })
  let text = ''
  let firstWordMs: number | undefined
  let cutOff: Error | undefined
  try {
    const request = { method: 'POST', path, body, signal, timeoutMs: FIRST_BYTE_MS, untilHeaders: true }
    await sendRequest(platformConfig(), request, async (response) => {
      const answeredBy = response.headers.get('x-svc-model') ?? undefined
      const parser = createSseParser(({ data }) => {
        if (data === '[DONE]') return ended.abort()
        const { choices, usage, error } = toRecord(parseJson(data)?.value)
        if (error) {
          cutOff = new Error(toText(toRecord(error).message) || 'The answer was cut off.')
          return ended.abort()
        }
        const piece = toRecord(toRecord(toList(choices)[0]).delta).content
        if (usage) change(readUsage(usage))
        if (typeof piece !== 'string' || piece === '') return
        firstWordMs ??= sinceStart()
        text += piece
        change({ text, firstWordMs, state: 'answering', answeredBy })
      })
      if (response.body) await readSse(response.body, parser, ended.signal)
    })
    if (cutOff) throw cutOff
    change({ state: signal.aborted ? 'stopped' : 'done', totalMs: sinceStart() })
  } catch (error) {
    change(signal.aborted ? { state: 'stopped' } : { state: 'failed', error: toApiError(error), totalMs: sinceStart() })
  }
}

function readUsage(usage: unknown): Partial<PlaygroundAnswer> {
  const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = toRecord(usage)
  return {
    ...(typeof inputTokens === 'number' ? { inputTokens } : {}),
    ...(typeof outputTokens === 'number' ? { outputTokens } : {}),
  }
}
