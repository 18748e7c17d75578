export { BASE62, type RandomSource, randomBase62 } from './base62.ts'
export { checkToken, mintToken, showTokenStart, type TokenCheck } from './token.ts'
export { readTokenPrefix, TOKEN_PREFIXES, type TokenPrefix } from './token-prefixes.ts'
