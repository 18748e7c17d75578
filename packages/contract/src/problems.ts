/**
 * The one table from error code to status, sentence and next step. Server, client, command line, dashboard and docs
 * all read it. `say` is for people; a handler may put a more specific sentence in its place.
 */
interface ProblemRow {
  readonly status: number
  readonly say: string
  readonly next?: string
}

const table = {
  // 400
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
  // 401, 402, 403
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
  // 404, 405
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
  // 409
  last_owner: {
    status: 409,
    say: 'This is the last owner of the account.',
    next: 'Make somebody else an owner first.',
  },
  only_account_role: {
    status: 409,
    say: 'This is the only account role of a member.',
    next: 'Remove the member from the account, or give them another account role.',
  },
  already_member: { status: 409, say: 'This person belongs to the account already.' },
  invite_accepted: { status: 409, say: 'This invitation was accepted already.' },
  name_taken: { status: 409, say: 'This name is taken.', next: 'Choose another one.' },
  already_disabled: { status: 409, say: 'This service account is disabled already.' },
  agent_identity: {
    status: 409,
    say: 'This service account is the identity of an agent.',
    next: 'Revoke its assignments, or remove the agent from the manifest.',
  },
  provision_in_flight: {
    status: 409,
    say: 'The first call with this key is still making the project.',
    next: 'Repeat it in a moment with the same key.',
  },
  bring_your_own_repository: {
    status: 409,
    say: 'This repository lives elsewhere, so the platform has no push token for it.',
    next: 'Push through the project’s git_origin_url with your own token, or at the repository’s own host.',
  },
  concurrent_edit: {
    status: 409,
    say: 'The default branch moved while the manifest was being edited; nothing was written.',
    next: 'Read it again and repeat the change.',
  },
  installation_required: {
    status: 409,
    say: 'The platform may not read this repository.',
    next: 'Install the app for it, or send a token as git_token.',
  },
  change_request_not_open: {
    status: 409,
    say: 'This change request is not open.',
    next: 'Reopen it if it is closed, or open a new one.',
  },
  change_request_not_closed: { status: 409, say: 'This change request is not closed.' },
  merge_in_progress: {
    status: 409,
    say: 'This change request is being merged right now.',
    next: 'Read it again in a moment.',
  },
  stale_preview: {
    status: 409,
    say: 'A branch has moved since the merge was looked at; nothing was merged.',
    next: 'Look at the preview again, then merge.',
  },
  merge_conflict: {
    status: 409,
    say: 'Both branches changed the same places; nothing was merged.',
    next: 'Merge the target branch into this one, resolve the files in `conflicts`, and push.',
  },
  nothing_to_merge: { status: 409, say: 'The target branch already holds every commit of this one.' },
  secret_identifier_taken: {
    status: 409,
    say: 'This identifier belongs to a secret with another name.',
    next: 'Choose another identifier, or remove that secret first.',
  },
  secret_limit_reached: {
    status: 409,
    say: 'There are as many secrets as a project may have.',
    next: 'Remove one that is no longer used.',
  },
  secret_strategy_locked: {
    status: 409,
    say: 'The platform depends on how this secret is delivered.',
    next: 'Write a secret with another identifier instead.',
  },
  secret_rotation_required: {
    status: 409,
    say: 'A secret goes back into sandboxes only with a new value.',
    next: 'Write it with a new value and the strategy runtime.',
  },
  secret_boundary_destination_conflict: {
    status: 409,
    say: 'Another secret is put into the same header towards the same host.',
    next: 'Change one of the two policies; `conflict` names the other secret.',
  },
  git_credential_managed: {
    status: 409,
    say: 'The platform has its own access to this repository.',
    next: 'Only a repository that lives elsewhere and was linked without an app takes a credential.',
  },
  implicit_access: {
    status: 409,
    say: 'Owners and admins of the account manage every project.',
    next: 'Change their account role first.',
  },
  webhook_limit_reached: {
    status: 409,
    say: 'This account has 20 audit webhooks already, which is the most it may have.',
    next: 'Remove one that is no longer needed, then add this one.',
  },
  access_request_reviewed: { status: 409, say: 'This request was reviewed already.' },
  session_id_taken: {
    status: 409,
    say: 'There is a session with this id already.',
    next: 'Choose a new random id, or leave session_id out.',
  },
  session_deleted: {
    status: 409,
    say: 'This session was deleted.',
    next: 'Start a new one.',
  },
  session_not_running: {
    status: 409,
    say: 'The machine of this session is not running.',
    next: 'Start the session first.',
  },
  session_busy: {
    status: 409,
    say: 'The session is working.',
    next: 'Wait until it is idle, or send `force: true`.',
  },
  session_runtime_identity_unavailable: {
    status: 409,
    say: 'The machine of this session is lost and cannot be brought back.',
    next: 'Start a new session on its branch.',
  },
  warm_session_unavailable: {
    status: 409,
    say: 'No session can be prepared right now.',
    next: 'Start one when it is needed.',
  },
  commit_in_progress: {
    status: 409,
    say: 'The session is committing already.',
    next: 'Wait for the first commit to finish.',
  },
  commit_rejected: {
    status: 409,
    say: 'The work of this session could not be committed and pushed.',
    next: 'Look at what the message says, correct it in the session, and try again.',
  },
  prompt_being_answered: {
    status: 409,
    say: 'This prompt is being answered already.',
    next: 'Abort the turn instead.',
  },
  prompt_queue_full: {
    status: 409,
    say: '200 prompts wait already, which is the most a session keeps.',
    next: 'Wait, or take some out of the queue.',
  },
  already_answered: { status: 409, say: 'This question was answered already.' },
  agent_grant_unresolved: {
    status: 409,
    say: 'What the agent of this session is granted cannot be read.',
    next: 'Correct the manifest, then try again.',
  },
  secret_identifier_key_collision: {
    status: 409,
    say: 'Two of these secrets have the same environment variable.',
    next: 'Choose one of the two.',
  },
  connector_connection_inactive: {
    status: 409,
    say: 'This connection is not active.',
    next: 'Connect it again, or choose another.',
  },
  required_connector_connection_unavailable: {
    status: 409,
    say: 'A connector that is required is not configured.',
    next: 'Configure the connectors in `connectors`.',
  },
  connector_connection_required: {
    status: 409,
    say: 'A connector that is required has no connection for you.',
    next: 'Connect those in `connector_connections` first.',
  },
  personal_connector_connection_requires_private_session: {
    status: 409,
    say: 'A session that uses a personal connection stays private.',
    next: 'Take the personal connection out of it first.',
  },
  idempotency_conflict: {
    status: 409,
    say: 'This Idempotency-Key was used with another request.',
    next: 'Use a new key for a new request.',
  },
  idempotency_answer_gone: {
    status: 409,
    say: 'The first request with this Idempotency-Key succeeded, but its answer was too large to keep.',
    next: 'Read what it made instead of repeating it.',
  },
  idempotency_in_flight: {
    status: 409,
    say: 'A request with this Idempotency-Key is still running.',
    next: 'Repeat it in a moment with the same key.',
  },
  sandbox_share_limit: {
    status: 409,
    say: 'This sandbox has as many live links as it may have.',
    next: 'Revoke one that is not needed any more.',
  },
  template_slug_taken: {
    status: 409,
    say: 'The project has a sandbox template of this name already, or the name belongs to the platform.',
    next: 'Choose another slug.',
  },
  template_limit_reached: {
    status: 409,
    say: 'There are as many sandbox templates as a project may have.',
    next: 'Remove one that is no longer used, or declare templates in the manifest.',
  },
  shared_template: {
    status: 409,
    say: 'The manifest of the project uses this template.',
    next: 'Take it out of the manifest first.',
  },
  template_unsupported: {
    status: 409,
    say: 'The sandbox provider of this project runs only the default template.',
    next: 'Choose a provider that builds images, such as docker, or use the template `default`.',
  },
  template_not_built: {
    status: 409,
    say: 'The image of this sandbox template is not built.',
    next: 'Read its last build; repair it and build it again.',
  },
  no_current_failure: { status: 409, say: 'No build of this project has failed.' },
  not_agent_fixable: {
    status: 409,
    say: 'This failure does not come from the repository, so no agent can repair it.',
    next: 'Read the error of the build; `category` says where it comes from.',
  },
  no_ready_sandbox: {
    status: 409,
    say: 'No sandbox of this project can start, so no agent can work.',
    next: 'Build the default template first.',
  },
  sandbox_state_unknown: {
    status: 409,
    say: 'The sandbox provider does not answer, so nobody can say what is wrong.',
    next: 'Try again in a minute.',
  },
  cannot_disable_default: {
    status: 409,
    say: 'The default model cannot be switched off.',
    next: 'Choose another default model first.',
  },
  model_not_servable: {
    status: 409,
    say: 'This model cannot be served in this project.',
    next: 'Connect its provider, or switch it on, then choose it.',
  },
  // 410
  invite_expired: {
    status: 410,
    say: 'This invitation has expired.',
    next: 'Ask whoever invited you to send it again.',
  },
  share_gone: {
    status: 410,
    say: 'This link has expired or was ended.',
    next: 'Ask whoever shared it for a new one.',
  },
  // 413, 415, 421, 422, 429, 431
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
  // 5xx
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

export type ProblemCode = keyof typeof table

export const problems: Readonly<Record<ProblemCode, ProblemRow>> = table

export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problems, code)
}
