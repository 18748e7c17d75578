import type { ProblemRow } from './problem-row.ts'

/** The platform, or what it depends on, could not: 500 to 504. */
export const failures = {
  internal: { status: 500, say: 'Internal server error', next: 'Report the request id to the operator.' },
  feature_not_supported: { status: 501, say: 'This deployment does not have that capability.' },
  auth_provider_unreachable: {
    status: 502,
    say: 'The sign-in provider cannot be reached.',
    next: 'Try again, or sign in another way.',
  },
  repository_unavailable: {
    status: 502,
    say: 'The repository cannot be reached.',
    next: 'Try again; if it lives elsewhere, check its address and credential.',
  },
  github_unavailable: {
    status: 502,
    say: 'GitHub could not be reached, or did not answer as expected.',
    next: 'Try again in a minute; if it stays, check the app’s settings at GitHub.',
  },
  catalog_unreachable: {
    status: 502,
    say: 'The model catalog could not be fetched; nothing was changed.',
    next: 'Check SVC_MODEL_CATALOG_URL and that this server may reach it, then try again. Offline, what was fetched before, the bundled snapshot and the models file (SVC_MODELS_FILE) count.',
  },
  catalog_unusable: {
    status: 502,
    say: 'The model catalog that was fetched cannot be used; nothing was changed.',
    next: 'Check that SVC_MODEL_CATALOG_URL leads to a document in the format of models.dev.',
  },
  sandbox_unreachable: {
    status: 502,
    say: 'The machine of this session does not answer.',
    next: 'Try again; if it stays so, restart the session.',
  },
  purge_failed: { status: 502, say: 'The repository could not be deleted; nothing was archived.', next: 'Try again.' },
  seed_push_failed: {
    status: 502,
    say: 'The repository could not be filled with its starter; nothing was made.',
    next: 'Try again with the same key.',
  },
  seed_verification_failed: {
    status: 502,
    say: 'The new repository does not hold what was written to it; nothing was made.',
    next: 'Try again with the same key.',
  },
  session_model_resolution_failed: {
    status: 503,
    say: 'Which model to use cannot be determined right now.',
    next: 'Try again, or name one as opencode_model.',
  },
  sandbox_provider_unavailable: {
    status: 503,
    say: 'This deployment cannot run sandboxes of this kind right now.',
    next: 'Run `npm run doctor` on the server: it names what is missing.',
  },
  connector_requirements_unresolved: {
    status: 503,
    say: 'Whether the connectors that this agent needs are connected cannot be determined right now.',
    next: 'Try again in a few seconds.',
  },
  sandbox_not_ready: {
    status: 503,
    say: 'The sandbox of this session is not running.',
    next: 'Start the session, then try again.',
  },
  gateway_error: {
    status: 503,
    say: 'The model gateway cannot read what this project allows right now.',
    next: 'Try again in a few seconds.',
  },
  gateway_overloaded: {
    status: 503,
    say: 'The model gateway has as much in hand as it can take.',
    next: 'Wait for the seconds in Retry-After.',
  },
  request_deadline: { status: 503, say: 'The server could not finish in time.', next: 'Try again in a few seconds.' },
  unavailable: { status: 503, say: 'The service is not available right now.', next: 'Try again in a few seconds.' },
  sandbox_timeout: {
    status: 504,
    say: 'The sandbox did not answer in time.',
    next: 'Try again; if it stays so, restart the session.',
  },
  long_turn_proxy_timeout: {
    status: 504,
    say: 'The agent is still working; its turn goes on.',
    next: 'Read the events of the session, and send prompts to its queue.',
  },
} as const satisfies Record<string, ProblemRow>
