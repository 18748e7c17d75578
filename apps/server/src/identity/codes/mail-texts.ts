import type { CodePurpose } from './store.ts'

/** Where each kind of link leads. */
export const landingPaths: Readonly<Record<CodePurpose, string>> = {
  magiclink: '/sign-in/link',
  recovery: '/password/new',
  signup: '/sign-up/confirm',
}

const openings: Readonly<Record<CodePurpose, { subject: string; ask: string }>> = {
  magiclink: { subject: 'Your sign-in link', ask: 'Open this link to sign in:' },
  recovery: { subject: 'Choose a new password', ask: 'Open this link to choose a new password:' },
  signup: { subject: 'Confirm your address', ask: 'Open this link to confirm your address and finish signing up:' },
}

interface Reason {
  readonly purpose: CodePurpose
  readonly isKnown?: boolean
}

/** Plain and short: what it is for, the link, the code, and what to do when it was not you. */
export function writeMail({ purpose, isKnown }: Reason, code: string, url: (path: string) => string) {
  if (isKnown === true) return writeKnown(url)
  const { subject, ask } = openings[purpose]
  return {
    subject,
    text: [
      ask,
      url(landingPaths[purpose]),
      '',
      `Or enter this code: ${code}`,
      '',
      'Both work once and for ten minutes. If you did not ask for this, ignore this mail.',
      '',
    ].join('\n'),
  }
}

function writeKnown(url: (path: string) => string) {
  const signIn = url('/sign-in').replace(/\?.*$/, '')
  return {
    subject: 'You already have an account',
    text: [
      'Somebody signed up with this address, which already has an account.',
      '',
      `If it was you, sign in: ${signIn}`,
      'If you forgot the password, reset it there. If it was not you, ignore this mail.',
      '',
    ].join('\n'),
  }
}
