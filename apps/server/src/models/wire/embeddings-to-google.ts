import { asArray, asObject, asText, compact, type Json } from './json.ts'
import type { Translation } from './translation.ts'

/** A client that speaks OpenAI's embeddings, an upstream that speaks Google's batchEmbedContents. */
export function embeddingsToGoogle(model: string, asked: Json): Translation {
  return {
    request: (body) => ({ requests: inputsOf(body).map((text) => toRequest(text, model, body)) }),
    answer: (body) => toList(body, model, asked.encoding_format === 'base64'),
    stream: () => ({ push: (event) => [event], end: () => [] }),
  }
}

function inputsOf({ input }: Json): string[] {
  if (typeof input === 'string') return [input]
  return asArray(input).flatMap((text) => asText(text) ?? [])
}

function toRequest(text: string, model: string, { dimensions }: Json): Json {
  return compact({
    model: `models/${model}`,
    content: { parts: [{ text }] },
    outputDimensionality: dimensions ?? undefined,
  })
}

function toList(body: Json, model: string, isBase64: boolean): Json {
  const vectors = asArray(body.embeddings).map((row) => asArray(asObject(row).values).map(Number))
  return {
    object: 'list',
    model,
    data: vectors.map((values, index) => ({
      object: 'embedding',
      index,
      embedding: isBase64 ? Buffer.from(Float32Array.from(values).buffer).toString('base64') : values,
    })),
    usage: { prompt_tokens: 0, total_tokens: 0 },
  }
}
