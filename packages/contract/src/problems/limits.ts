import type { ProblemRow } from './problem-row.ts'

/** Too much, too often, or of a kind that is not taken: 413 to 431. */
export const limits = {
  payload_too_large: { status: 413, say: 'The body is larger than this operation accepts.' },
  upload_too_large: { status: 413, say: 'The upload is larger than the proxy passes on.', next: 'Send it in chunks.' },
  request_too_large: {
    status: 413,
    say: 'The request is larger than the gateway passes on.',
    next: 'Send a shorter conversation or smaller pictures.',
  },
  unsupported_media_type: {
    status: 415,
    say: 'This operation does not read that content type.',
    next: 'Send `Content-Type: application/json`.',
  },
  unknown_host: {
    status: 421,
    say: 'This server does not answer for that host name.',
    next: 'Open it by its own address, or add the name to SVC_ALLOWED_HOSTS.',
  },
  user_already_exists: {
    status: 422,
    say: 'Somebody with this address has already signed up.',
    next: 'Sign in, or reset the password.',
  },
  weak_password: {
    status: 422,
    say: 'This password is on lists of common or leaked passwords.',
    next: 'Choose another one: a few unrelated words are good.',
  },
  signup_disabled: {
    status: 422,
    say: 'This instance does not accept sign-ups for this address.',
    next: 'Ask an owner or admin for an invitation.',
  },
  manifest_invalid: {
    status: 422,
    say: 'The manifest would not be valid; nothing was merged.',
    next: 'Correct what `issues` names and push again.',
  },
  cr_head_not_ahead: {
    status: 422,
    say: 'The branch has no commit that the target branch lacks.',
    next: 'Commit something on it first.',
  },
  rate_limit_exceeded: { status: 429, say: 'Too many requests.', next: 'Wait for the seconds in Retry-After.' },
  over_request_rate_limit: {
    status: 429,
    say: 'Too many attempts from this address.',
    next: 'Wait for the seconds in Retry-After.',
  },
  over_email_send_rate_limit: {
    status: 429,
    say: 'Too many mails were asked for to this address.',
    next: 'Use the newest mail, or wait for the seconds in Retry-After.',
  },
  project_secret_write_limit: {
    status: 429,
    say: 'Too many secrets were written in this project within the hour.',
    next: 'Wait for the seconds in Retry-After.',
  },
  concurrent_session_limit: {
    status: 429,
    say: 'As many sessions run as the account’s plan allows.',
    next: 'Stop one, then try again.',
  },
  project_session_limit: {
    status: 429,
    say: 'As many sessions run as a project may have.',
    next: 'Stop one, then try again.',
  },
  project_session_create_limit: {
    status: 429,
    say: 'Too many sessions were started in this project within the hour.',
    next: 'Wait for the seconds in Retry-After.',
  },
  headers_too_large: { status: 431, say: 'The request headers are too large.', next: 'Send fewer or shorter headers.' },
} as const satisfies Record<string, ProblemRow>
