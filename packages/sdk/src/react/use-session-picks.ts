'use client'
import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { ModelChoice } from '../runtime/runtime-types.ts'
import { parseJson } from '../wire/parse-json.ts'
import { firstText, isRecord, toRecord } from '../wire/read-value.ts'
import type { MaybeId } from './svc-query.ts'

const listeners = new Set<() => void>()
/** For pages and tests without storage, and when it is full. */
const memory = new Map<string, string>()

/**
 * The model and agent a person picked for a session, kept in the browser's storage.
 *
 * @example
 * const { model, setModel } = useSessionPicks(sessionId)
 */
export function useSessionPicks(sessionId: MaybeId) {
  const key = `svc.picks.${sessionId ?? ''}`
  const text = useSyncExternalStore(
    subscribe,
    () => read(key),
    () => '',
  )
  const { model, agent } = useMemo(() => toRecord(parseJson(text)?.value), [text])
  const pick = useCallback(
    (change: object) =>
      sessionId && write(key, JSON.stringify({ ...toRecord(parseJson(read(key))?.value), ...change })),
    [key, sessionId],
  )
  return {
    model: isModel(model) ? model : undefined,
    agent: firstText(agent),
    setModel: useCallback((choice: ModelChoice | undefined) => void pick({ model: choice }), [pick]),
    setAgent: useCallback((name: string | undefined) => void pick({ agent: name }), [pick]),
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function read(key: string): string {
  return memory.get(key) ?? storage()?.getItem(key) ?? ''
}

function write(key: string, text: string): void {
  try {
    storage()?.setItem(key, text)
  } catch {
    // A full or forbidden storage keeps the pick for this page only.
  }
  memory.set(key, text)
  for (const listener of [...listeners]) listener()
}

interface TextStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
}

function storage(): TextStorage | undefined {
  const host: typeof globalThis & { localStorage?: TextStorage } = globalThis
  return host.localStorage
}

const isModel = (value: unknown): value is ModelChoice =>
  isRecord(value) && typeof value.providerID === 'string' && typeof value.modelID === 'string'
