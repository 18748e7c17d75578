import type { ProblemRow } from './problem-row.ts'

/** Who asks may not, or there is nothing for them: 401 to 408. */
export const refused = {
  unauthorized: {
    status: 401,
    say: 'Missing or invalid Authorization header',
    next: 'Send `Authorization: Bearer <token>`.',
  },
  invalid_token: {
    status: 401,
    say: 'Missing, invalid or expired session token.',
    next: 'Send the access token of a sign-in session as `Authorization: Bearer <token>`.',
  },
  invalid_client: {
    status: 401,
    say: 'The client is unknown or switched off, or its secret is wrong.',
    next: 'Check client_id and client_secret; a public client sends no secret.',
  },
  entitlement_required: {
    status: 402,
    say: 'The plan of this account does not include that.',
    next: 'Ask the operator of this instance, or change the plan.',
  },
  forbidden: { status: 403, say: 'You may not do this.', next: 'Ask an owner or admin for access.' },
  insufficient_scope: {
    status: 403,
    say: 'This token does not carry the scope that is needed here.',
    next: 'Sign in again and ask for that scope.',
  },
  otp_expired: {
    status: 403,
    say: 'This code or link is wrong, expired or already used.',
    next: 'Ask for a new one.',
  },
  first_run_link_invalid: {
    status: 403,
    say: 'This first-run link is not valid or was already used.',
    next: 'Use the link that the newest start printed, or sign in.',
  },
  agent_not_accessible: {
    status: 403,
    say: 'You are not assigned to this agent.',
    next: 'Ask a manager of the project to assign you to it.',
  },
  no_agent_access: {
    status: 403,
    say: 'No agent of this project is open to you.',
    next: 'Ask a manager of the project to assign you to one.',
  },
  origin_override_forbidden: {
    status: 403,
    say: 'Only a backend credential may narrow the secrets of a session.',
    next: 'Use a service account or an API key, or leave `secrets` out.',
  },
  connector_not_assigned: {
    status: 403,
    say: 'The agent may not use this connector.',
    next: 'Grant it to the agent in the manifest.',
  },
  account_creation_restricted: {
    status: 403,
    say: 'Only the operator of this instance creates accounts.',
    next: 'Ask whoever runs it, or ask to be invited to an account.',
  },
  role_not_assignable: {
    status: 403,
    say: 'This custom role carries an action that only system roles may carry.',
    next: 'Remove that action from the role, or assign a system role.',
  },
  session_agent_token_required: {
    status: 403,
    say: 'Only the token of an agent’s session may do this.',
    next: 'Call it from inside a session, with its SVC_TOKEN.',
  },
  feature_disabled: {
    status: 403,
    say: 'This feature is turned off for this project.',
    next: 'Turn it on in the project’s settings.',
  },
  project_limit_reached: {
    status: 403,
    say: 'This account has as many active projects as its plan allows.',
    next: 'Archive a project, or change the plan.',
  },
  port_blocked: {
    status: 403,
    say: 'This port of a sandbox is the platform’s own.',
    next: 'Use the port that your own program listens on.',
  },
  share_refused: { status: 403, say: 'This link does not open that.', next: 'Open exactly what was shared.' },
  budget_exceeded: {
    status: 402,
    say: 'A budget of this project does not allow this call.',
    next: 'Raise the budget, wait for its next period, or ask for less output with max_tokens.',
  },
  model_disabled: {
    status: 403,
    say: 'This model is switched off for the project.',
    next: 'Choose another, or have it switched on in the project’s model settings.',
  },
  provider_disabled: {
    status: 403,
    say: 'This model’s provider is switched off for the project.',
    next: 'Choose another, or have it switched on in the project’s model settings.',
  },
  missing_token: {
    status: 401,
    say: 'A credential is missing.',
    next: 'Send `Authorization: Bearer <key>` or `x-api-key: <key>`.',
  },
  not_found: { status: 404, say: 'Not found' },
  agent_not_found: { status: 404, say: 'The manifest declares no agent of this name.' },
  secret_identifier_not_found: {
    status: 404,
    say: 'The project has no such secret.',
    next: 'Write the secret first.',
  },
  connector_connection_not_found: {
    status: 404,
    say: 'There is no such connection.',
    next: 'Connect it first.',
  },
  method_not_allowed: { status: 405, say: 'This method is not allowed here.', next: 'See the Allow header.' },
  share_read_only: { status: 405, say: 'This link is for looking only.', next: 'Ask for an interactive link.' },
  request_timeout: { status: 408, say: 'The request did not arrive in time.', next: 'Send it again.' },
  template_not_found: {
    status: 404,
    say: 'The project has no sandbox template of this name.',
    next: 'List the templates of the project.',
  },
} as const satisfies Record<string, ProblemRow>
