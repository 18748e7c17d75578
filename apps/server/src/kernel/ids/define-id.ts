import { newId } from './new-id.ts'

declare const brand: unique symbol

/** A UUID that belongs to one kind of record: an `Id<'project'>` is not assignable to an `Id<'account'>`. */
export type Id<Kind extends string> = string & { readonly [brand]: Kind }

export interface IdKind<Kind extends string> {
  readonly kind: Kind
  create(): Id<Kind>
  /** Undefined for anything that is not a UUID in its usual lower-case or upper-case form. */
  parse(value: unknown): Id<Kind> | undefined
  is(value: unknown): value is Id<Kind>
}

/**
 * Names a kind of id.
 *
 * @example
 * export const ProjectId = defineId('project')
 * export type ProjectId = IdOf<typeof ProjectId>
 */
export function defineId<const Kind extends string>(kind: Kind): IdKind<Kind> {
  const is = (value: unknown): value is Id<Kind> => isUuid(value)
  return {
    kind,
    is,
    create() {
      const id = newId()
      if (!is(id)) throw new Error(`newId made ${id}, which is not a UUID`)
      return id
    },
    parse(value) {
      const id = typeof value === 'string' ? value.toLowerCase() : value
      return is(id) ? id : undefined
    },
  }
}

export type IdOf<K> = K extends IdKind<infer Kind> ? Id<Kind> : never

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value)
}
