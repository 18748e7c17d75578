/** Reading documents of other people's protocols: what does not have the expected form reads as nothing. */
export type Json = Record<string, unknown>

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function asObject(value: unknown): Json {
  return isObject(value) ? value : {}
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function asCount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0
}

export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Whoever reads on treats it as a document that is not there.
    return undefined
  }
}

/** Without what is undefined. */
export function compact(value: Json): Json {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined))
}
