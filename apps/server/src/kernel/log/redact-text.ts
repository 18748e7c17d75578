import { TOKEN_PREFIXES } from '../tokens/index.ts'

export const REDACTED = '[redacted]'

/** Texts are read at most this far past the length that is kept, so a secret at the cut is seen whole or left out. */
const LOOKAHEAD_CHARS = 4_096

interface Rule {
  find: RegExp
  put: string
}

const ownPrefixes = TOKEN_PREFIXES.map((prefix) => prefix.replace('svc_', '')).join('|')

const sensitiveNames =
  'pass(?:word|wd|phrase|code)|\\bpass|pwd|secret|token|api[_-]?key|apikey|access[_-]?key|private[_-]?key|credential|' +
  'authorization|signature|session[_-]?id|otp|cookie'

/**
 * Every pattern is linear in the length of the text: none starts with a repetition, and what repeats cannot match
 * where another match could start.
 */
const RULES: Rule[] = [
  { find: /-----BEGIN [A-Z0-9 ]*PRIVATE KEY[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----|$)/g, put: REDACTED },
  { find: new RegExp(`svc_(${ownPrefixes})[0-9A-Za-z]+`, 'g'), put: `svc_$1${REDACTED}` },
  { find: /whsec_[A-Za-z0-9+/=_-]+/g, put: `whsec_${REDACTED}` },
  { find: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*){1,4}/g, put: REDACTED },
  { find: /\b(?:Set-)?Cookie["']?\s*[:=]\s*[^\r\n]+/gi, put: `cookie: ${REDACTED}` },
  {
    find: /\b(Bearer|Basic|Digest|Negotiate|ApiKey)(?:\s|%20|\+)+(?!\[redacted)[^\s"'<>,;\\]{3,}/gi,
    put: `$1 ${REDACTED}`,
  },
  // A password in a database address may hold a slash or an at sign.
  {
    find: /\b((?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?):\/\/)[^\s"'<>]*@/gi,
    put: `$1${REDACTED}@`,
  },
  { find: /(:\/\/|%3A%2F%2F)[^\s/?#"'<>]*(?:@|%40)/gi, put: `$1${REDACTED}@` },
  { find: /(?<![A-Za-z0-9])(?:A3T[A-Z0-9]|AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ANVA)[A-Z0-9]{12,}/g, put: REDACTED },
  { find: /(?<![A-Za-z0-9])(?:sk|rk|pk)[-_](?:live_|test_|proj-|ant-|or-)?[A-Za-z0-9_-]{8,}/g, put: REDACTED },
  { find: /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{10,}|github_pat_[A-Za-z0-9_]{10,})/g, put: REDACTED },
  {
    find: /(?<![A-Za-z0-9])(?:xox[a-z]|xapp|glpat|dop_v1|shpat|npm|hf|lin_api|re)[-_][A-Za-z0-9-]{16,}/g,
    put: REDACTED,
  },
  { find: /(?<![A-Za-z0-9])(?:AIza[A-Za-z0-9_-]{20,}|ya29\.[A-Za-z0-9_-]{10,})/g, put: REDACTED },
  {
    find: new RegExp(
      `((?:${sensitiveNames})[\\w-]{0,40}(?:\\\\*["'\\]])?\\s{0,4}(?:=>?|%3D)\\s{0,4})` +
        `(?!\\[redacted)(?:\\\\*"(?:[^"\\\\]|\\\\(?!"))*|'[^']*|[^\\s&"',;)}\\]]+)`,
      'gi',
    ),
    put: `$1${REDACTED}`,
  },
  {
    find: new RegExp(
      `((?:${sensitiveNames})[\\w-]{0,40}\\\\*["']\\s{0,4}:\\s{0,4}\\\\*["'])(?!\\[redacted)(?:[^"'\\\\]|\\\\(?!["']))+`,
      'gi',
    ),
    put: `$1${REDACTED}`,
  },
  {
    find: /((?:pass(?:word|wd|phrase|code)|\bpwd|secret|api[_-]?key|access[_-]?key|authorization)\s{0,2}:\s{0,4})(?!\[redacted)[^\s"',;)}\]]+/gi,
    put: `$1${REDACTED}`,
  },
  {
    find: /([?&](?:code|key|sig|state|auth|jwt|ticket|otp|nonce|X-Amz-[A-Za-z-]+)=)[^&#\s"'<>]+/gi,
    put: `$1${REDACTED}`,
  },
]

/** One pass that lets ordinary text through without trying every rule. */
const SUSPECT =
  /svc_|whsec_|eyJ|BEGIN |cookie|bearer|basic|digest|negotiate|apikey|:\/\/|%3A%2F|A3T|A[KSGINR][IPODVN][A-Z]|[srp]k[-_]|gh[pousr]_|github_|xox|xapp|glpat|dop_|shpat|npm_|hf_|lin_|re_|AIza|ya29|pass|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|authorization|signature|session[_-]?id|otp|[?&]/i

/**
 * The text without anything that looks like a credential, and no longer than `maxChars`. Too much is removed rather
 * than too little: logs are for finding faults, and no fault needs a secret.
 */
export function redactText(text: string, maxChars: number = 8_192): string {
  if (text.length <= maxChars) return applyRules(text)
  const read = text.slice(0, maxChars + LOOKAHEAD_CHARS)
  const clean = applyRules(read)
  const keep = read.length < text.length ? Math.max(0, clean.length - LOOKAHEAD_CHARS) : clean.length
  return `${clean.slice(0, Math.min(keep, maxChars))}… (${text.length} characters)`
}

function applyRules(text: string): string {
  if (!SUSPECT.test(text)) return text
  let clean = text
  for (const rule of RULES) clean = clean.replace(rule.find, rule.put)
  return clean
}

const SENSITIVE_KEY =
  /password|passwd|passphrase|passcode|^pass$|^pwd$|secret|token|apikey|accesskey|privatekey|signingkey|masterkey|credential|authorization|^auth$|cookie|sessionid|signature|^otp$|^pin$|^jwt$|^bearer$|pepper/
const DESCRIBES_A_SECRET = /(?:id|ids|name|names|count|prefix|type|kind|status|at|hint|length|bytes|used|limit|total)$/

/** True for a field whose value is a secret by its name, however the value looks. */
export function isSensitiveKey(key: string): boolean {
  const plain = key.toLowerCase().replace(/[^a-z0-9]/g, '')
  if (!SENSITIVE_KEY.test(plain)) return false
  return plain === 'sessionid' || !DESCRIBES_A_SECRET.test(plain)
}
