import { GitError } from './git-error.ts'

export interface CommitIdentity {
  readonly name: string
  readonly email: string
  readonly date?: Date
}

const maxMessageBytes = 64 * 1024

/** The message with one `Co-authored-by` trailer per co-author, in a trailer block of its own. */
export function formatMessage(message: string, coAuthors: readonly CommitIdentity[] = []): string {
  const text = message.replaceAll('\0', '').replaceAll('\r\n', '\n').trimEnd()
  if (text.trim() === '') throw new GitError('invalid_input', 'A commit needs a message.')
  if (Buffer.byteLength(text) > maxMessageBytes) {
    throw new GitError('too_large', `A commit message has at most ${maxMessageBytes} bytes.`)
  }
  const trailers = [...new Set(coAuthors.map((who) => `Co-authored-by: ${formatPerson(who)}`))]
  const missing = trailers.filter((trailer) => !text.includes(trailer))
  if (missing.length === 0) return `${text}\n`
  const lastParagraph = text.includes('\n\n') ? (text.split(/\n{2,}/).at(-1) ?? '') : ''
  const endsWithTrailers =
    lastParagraph !== '' && lastParagraph.split('\n').every((line) => /^[A-Za-z0-9-]+: \S/.test(line))
  return `${text}${endsWithTrailers ? '\n' : '\n\n'}${missing.join('\n')}\n`
}

/** `Name <email> seconds +0000`, with everything that would break a commit header removed. */
export function formatIdentity(who: CommitIdentity): string {
  const seconds = Math.floor((who.date ?? new Date()).getTime() / 1000)
  return `${formatPerson(who)} ${seconds} +0000`
}

export function formatPerson({ name, email }: CommitIdentity): string {
  return `${cleanIdentity(name) || 'unknown'} <${cleanIdentity(email).replaceAll(' ', '')}>`
}

function cleanIdentity(text: string): string {
  return [...text]
    .map((letter) => (letter < ' ' || letter === '\x7f' ? ' ' : letter))
    .join('')
    .replace(/[<>]/g, '')
    .trim()
    .replace(/^[.,:;"'\\]+|[.,:;"'\\]+$/g, '')
    .slice(0, 200)
}
