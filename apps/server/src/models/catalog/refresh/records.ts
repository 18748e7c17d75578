/** What is kept of a fetched catalog. */

export interface CatalogFacts {
  readonly name?: string | undefined
  readonly family?: string | undefined
  readonly attachment?: boolean | undefined
  readonly reasoning?: boolean | undefined
  readonly tool_call?: boolean | undefined
  readonly temperature?: boolean | undefined
  readonly structured_output?: boolean | undefined
  readonly open_weights?: boolean | undefined
  readonly knowledge?: string | undefined
  readonly release_date?: string | undefined
  readonly last_updated?: string | undefined
  readonly status?: string | undefined
  readonly reasoning_options?: ReasoningOption[] | undefined
  readonly modalities?: { readonly input: string[]; readonly output: string[] } | undefined
  readonly limit?:
    | {
        readonly context?: number | undefined
        readonly input?: number | undefined
        readonly output?: number | undefined
      }
    | undefined
}

interface ReasoningOption {
  readonly type: string
  readonly values?: string[] | undefined
  readonly min?: number | undefined
  readonly max?: number | undefined
}

interface CatalogRates {
  readonly input?: number | undefined
  readonly output?: number | undefined
  readonly cache_read?: number | undefined
  readonly cache_write?: number | undefined
  readonly input_audio?: number | undefined
  readonly output_audio?: number | undefined
}

/** Dollars for a million tokens; above a length of the prompt, those of its tier. */
export interface CatalogPrice extends CatalogRates {
  readonly input: number
  readonly output: number
  readonly tiers: readonly (CatalogRates & { readonly above: number })[]
}

export interface CatalogEntry {
  readonly provider: string
  readonly model: string
  readonly facts: CatalogFacts
  readonly price: CatalogPrice | undefined
}

/** An entry as it is stored: with the day its price began, and whether the catalog still has it. */
export interface StoredEntry extends CatalogEntry {
  readonly pricedFrom: Date | undefined
  readonly isGone: boolean
}

export interface LeftOut {
  readonly entry: string
  readonly reason: string
}

/** A refresh as it is kept and shown. */
export interface RefreshRecord {
  readonly at: string
  readonly ok: boolean
  readonly problem: string | null
  readonly added: number
  readonly changed: number
  readonly repriced: number
  readonly gone: number
  readonly left_out: number
  readonly left_out_entries: LeftOut[]
}
