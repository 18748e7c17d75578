import type { ProblemRow } from './problem-row.ts'

/** What is there does not allow it now: 409, and 410 for what is gone for good. */
export const conflicts = {
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
} as const satisfies Record<string, ProblemRow>
