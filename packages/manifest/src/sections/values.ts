import {
  DURATION_PATTERN,
  ENABLED_WORDS,
  ENV_NAME_PATTERN,
  GRANT_WORDS,
  RELATIVE_PATH_PATTERN,
  SLUG_PATTERN,
  UPPER_ENV_NAME_PATTERN,
} from '../constants.ts'
import {
  type ChoiceShape,
  choice,
  decimal,
  filled,
  flag,
  list,
  matching,
  oneOf,
  type TextShape,
} from '../shape/shape.ts'

const SLUG_SAYS =
  '1 to 128 lowercase letters, digits, "_" or "-", starting with a letter or digit (for example "daily-report")'

export const slug = (about: string): TextShape => matching(SLUG_PATTERN, SLUG_SAYS, { about, nearest: toSlug })

export const relativePath = (about: string): TextShape =>
  matching(RELATIVE_PATH_PATTERN, 'a relative path inside the repository: not empty, no leading "/", no ".." segment', {
    about,
  })

export const envName = (about: string): TextShape =>
  matching(ENV_NAME_PATTERN, 'an environment name: letters, digits and "_", not starting with a digit', {
    about,
    nearest: toEnvName,
  })

export const upperEnvName = (about: string): TextShape =>
  matching(
    UPPER_ENV_NAME_PATTERN,
    'an environment name in capitals: A-Z, 0-9 and "_", not starting with a digit (for example "API_KEY")',
    { about, nearest: toEnvName },
  )

export const duration = (about: string): TextShape =>
  matching(DURATION_PATTERN, 'a positive whole number with a unit s, m, h or d (for example "30s" or "5m")', {
    about,
    nearest: (written) => written.toLowerCase().replaceAll(' ', ''),
  })

/** A boolean, a number, or one of the enabled words in any case. */
export const enabled: ChoiceShape = choice(
  `a boolean, a number, or one of the words ${ENABLED_WORDS.join(', ')}`,
  [
    flag(),
    decimal(),
    matching(`^(?:${ENABLED_WORDS.map(ignoreCase).join('|')})$`, `one of ${ENABLED_WORDS.join(', ')}`),
  ],
  { name: 'enabled', about: 'Whether this entry is active.' },
)

/** `all`, `none`, or a list of the given items. */
export const grant = (about: string, items: TextShape = filled()): ChoiceShape =>
  choice('"all", "none", or a list of names', [oneOf(GRANT_WORDS), list(items)], { about })

function toSlug(written: string): string {
  const dashed = written
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
  return dashed.replace(/^[-_]+|-+$/g, '')
}

function toEnvName(written: string): string {
  return written
    .trim()
    .toUpperCase()
    .replace(/[^A-Z0-9_]+/g, '_')
}

function ignoreCase(word: string): string {
  return [...word].map((char) => (/[a-z]/.test(char) ? `[${char.toUpperCase()}${char}]` : char)).join('')
}
