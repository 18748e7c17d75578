import type { z } from 'zod'

/**
 * What travels when it is not a JSON document. Each kind is a plain value so that server, client and OpenAPI
 * can all read it.
 */
export type Payload =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'text'; readonly contentType: string }
  | { readonly kind: 'bytes'; readonly contentType: string }
  | { readonly kind: 'redirect' }
  | { readonly kind: 'relayed' }
  | { readonly kind: 'events'; readonly event: z.ZodType }
  | { readonly kind: 'form'; readonly fields: z.ZodObject }
  | { readonly kind: 'multipart'; readonly fields: z.ZodObject; readonly files: readonly string[] }

/** A response without a body (204). */
export const nothing = { kind: 'nothing' } as const

/** A response of text: a page, a stylesheet, metrics. */
export const text = <const Type extends string>(contentType: Type) => ({ kind: 'text', contentType }) as const

/** Bytes that stream, either way: archives, uploads, downloads. Never buffered by the kernel. */
export const bytes = <const Type extends string>(contentType: Type) => ({ kind: 'bytes', contentType }) as const

/** A 302 whose target the handler names. */
export const redirect = { kind: 'redirect' } as const

/** Whatever something else answered, passed on as it came: the handler writes it to the connection itself. */
export const relayed = { kind: 'relayed' } as const

/** A server-sent event stream; every event has an id, so a reconnect resumes. */
export const events = <Event extends z.ZodType>(event: Event) => ({ kind: 'events', event }) as const

/** A form-encoded request body, as OAuth token requests send it. */
export const form = <Fields extends z.ZodObject>(fields: Fields) => ({ kind: 'form', fields }) as const

/** A multipart request body: named file fields beside plain fields. */
export const multipart = <Fields extends z.ZodObject, const Files extends readonly string[]>(
  fields: Fields,
  files: Files,
) => ({ kind: 'multipart', fields, files }) as const

export function isPayload(shape: z.ZodType | Payload): shape is Payload {
  return 'kind' in shape && typeof shape.kind === 'string' && !('_zod' in shape)
}
