/** Deepest nesting accepted in a document; a real manifest needs six. */
export const MAX_DEPTH = 100
/** Most values that aliases and merge keys may add to a document. */
export const MAX_ALIAS_NODES = 20_000
