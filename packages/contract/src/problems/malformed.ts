import type { ProblemRow } from './problem-row.ts'

/** What was asked cannot be read, or makes no sense: 400. */
export const malformed = {
  validation_failed: {
    status: 400,
    say: 'The request does not have the expected shape.',
    next: 'Correct the fields named in `issues` and send it again.',
  },
  malformed_json: { status: 400, say: 'The body is not valid JSON.', next: 'Send a JSON document in UTF-8.' },
  malformed_request: {
    status: 400,
    say: 'The request is not valid HTTP.',
    next: 'Check the request line and headers.',
  },
  invalid_encoding: { status: 400, say: 'The request is not valid UTF-8.', next: 'Encode it as UTF-8.' },
  idempotency_key_invalid: {
    status: 400,
    say: 'The Idempotency-Key header must be 1 to 255 characters of A-Z a-z 0-9 _ . : + / = -',
    next: 'Send a random key, for example a UUID.',
  },
  invalid_credentials: {
    status: 400,
    say: 'The address or the password is wrong.',
    next: 'Check both, or ask for a sign-in link.',
  },
  invalid_request: { status: 400, say: 'The request cannot be used as it is.' },
  invalid_grant: {
    status: 400,
    say: 'The code or refresh token is unknown, expired, revoked or was used before.',
    next: 'Begin the sign-in again.',
  },
  unsupported_grant_type: {
    status: 400,
    say: 'This grant type is not supported.',
    next: 'Use authorization_code or refresh_token.',
  },
  email_not_confirmed: {
    status: 400,
    say: 'This address is not confirmed yet.',
    next: 'Ask for a sign-in link: using it confirms the address.',
  },
  refresh_token_not_found: {
    status: 400,
    say: 'This refresh token is unknown, expired, or was used before.',
    next: 'Sign in again.',
  },
  bad_code_verifier: {
    status: 400,
    say: 'The code is unknown, expired or used, or the verifier does not fit it.',
    next: 'Begin the sign-in again.',
  },
  system_role: {
    status: 400,
    say: 'System roles cannot be changed or deleted.',
    next: 'Create a custom role and change that.',
  },
  invalid_repository: {
    status: 400,
    say: 'This repository cannot be used.',
    next: 'Give an https or ssh address that the platform can read, with a credential if it is private.',
  },
  invalid_ref: { status: 400, say: 'This branch, tag or commit cannot be used.', next: 'Name one that exists.' },
  nothing_to_update: { status: 400, say: 'The request changes nothing.', next: 'Send at least one field.' },
  manifest_read: {
    status: 400,
    say: 'The manifest on the default branch cannot be read.',
    next: 'Correct it in the repository, then try again.',
  },
  invalid_scope: {
    status: 400,
    say: 'With this scope the manifest would not be valid.',
    next: 'See `issues` for what is wrong.',
  },
  unsupported_in_v1: {
    status: 400,
    say: 'A manifest of version 1 cannot say this.',
    next: 'Move the manifest to version 2.',
  },
  invalid_config: {
    status: 400,
    say: 'With this change the manifest would not be valid.',
    next: 'See `issues` for what is wrong.',
  },
  unsafe_image: {
    status: 400,
    say: 'The file is not a picture that is served here.',
    next: 'Upload a PNG, JPEG, WebP or ICO, or an SVG without scripts, event handlers, frames and outside references.',
  },
  secret_delivery_policy_required: {
    status: 400,
    say: 'This delivery needs a policy that names its hosts.',
    next: 'Send `egress_policy` with at least one rule.',
  },
  secret_delivery_policy_invalid: {
    status: 400,
    say: 'The delivery policy cannot be used.',
    next: 'Correct what `issues` names and send it again.',
  },
  llm_credentials_project_wide: {
    status: 400,
    say: 'Keys of model providers belong to the whole project.',
    next: 'Write it as a secret of the project.',
  },
  unknown_resource: {
    status: 400,
    say: 'The project has no such thing.',
    next: 'List the resource grants: the answer names what can be granted.',
  },
  invalid_session_runtime_context: {
    status: 400,
    say: 'The runtime context cannot be used.',
    next: 'Send at most 64 flat keys without credentials, as `issues` says.',
  },
  invalid_session_connector_bindings: {
    status: 400,
    say: 'The connector bindings cannot be used.',
    next: 'Send `{<connector>: {connection_id}}`, as `issues` says.',
  },
  invalid_session_secrets: {
    status: 400,
    say: 'The selection of secrets cannot be used.',
    next: 'Send at most 128 identifiers of secrets.',
  },
  invalid_session_model: {
    status: 400,
    say: 'This model is unknown or cannot be used here.',
    next: 'Choose one of the models that the account can use.',
  },
  unknown_sandbox_template: {
    status: 400,
    say: 'The project has no sandbox template of this name.',
    next: 'List the templates of the project, or leave sandbox_slug out.',
  },
  agent_not_available: {
    status: 400,
    say: 'The manifest declares no enabled agent of this name.',
    next: 'Choose an agent that the manifest declares and enables.',
  },
  share_port_blocked: {
    status: 400,
    say: 'This port is never shared.',
    next: 'Share the port that your own program listens on.',
  },
  model_not_found: {
    status: 400,
    say: 'There is no such model.',
    next: 'Choose one that `GET /v1/llm/models` lists.',
  },
  project_required: {
    status: 400,
    say: 'This credential belongs to no single project.',
    next: 'Use the key of a project, or the token of a session.',
  },
  unknown_sandbox_provider: {
    status: 400,
    say: 'This deployment has no such sandbox provider.',
    next: 'Choose one of `available`, or null for the default.',
  },
  provider_not_connected: {
    status: 400,
    say: 'This model’s provider is not connected to the project.',
    next: 'Add the provider’s key as a secret of the project.',
  },
  provider_reauth_required: {
    status: 400,
    say: 'The provider no longer takes the key of this project.',
    next: 'Replace the secret that holds it.',
  },
  model_disabled_on_deployment: {
    status: 400,
    say: 'Whoever runs this instance has switched this model off.',
    next: 'Choose another model.',
  },
  model_unavailable: {
    status: 400,
    say: 'This model cannot be served right now.',
    next: 'Choose another model, or ask whoever runs this instance.',
  },
  invalid_json: { status: 400, say: 'The body is not a valid request.', next: 'Send a JSON document in UTF-8.' },
  invalid_routing_policy: {
    status: 400,
    say: 'This routing policy cannot be used.',
    next: 'Correct the fields named in `issues` and send it again.',
  },
  agent_name_required: { status: 400, say: 'This scope needs the name of an agent.', next: 'Send `agentName`.' },
} as const satisfies Record<string, ProblemRow>
