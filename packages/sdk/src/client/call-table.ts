/**
 * Every call of the client, as text because text packs best. An unindented line names a group and the path its calls
 * stand on; without one that is the path of the group it belongs to and its own name in kebab-case. An indented one is a
 * call: its name, a method letter (Get, Post, pUt, pAtch, Delete) with an optional limit in seconds (0: only until the
 * headers) and the rest of the path, where `-` is the call's own name in kebab-case; then what its arguments after the
 * path's are: `name` a field, `*` an object of fields, `~` the same in camelCase, `!name` a file.
 * Fields go into the query of a read or a delete and into the body of a write.
 *
 * `accounting.test.ts` holds this table against the contract, in both directions.
 */
export const CALLS = `accounts
 list G *
 get G/:
 create P *
 updateName A/: name
 leave P/:/-
 members G/:/- *
 invite P/:/members *
 updateMemberRole A/:/members/: role
 removeMember D/:/members/:
 invites G/:/- *
 cancelInvite D/:/invites/:
 resendInvite P/:/invites/:/resend
accounts.branding accounts/:/branding
 get G
 update U *
 uploadAsset P/assets/: !file
 removeAsset D/assets/:
 reset D
accounts.tokens
 list G account_id *
 create P ~
 revoke D/: account_id
accounts.audit accounts/:/audit
 log G ~
 export G0/- ~
accounts.audit.webhooks
 list G *
 create P *
 update A/: *
 remove D/:
 rotateSecret P/:/-
 replay P/:/- *
accountInvites account-invites/:
 describe G
 accept P/-
 decline P/-
iam accounts/:/iam
 listAssignments G/assignments *
 createAssignment P/assignments *
 revokeAssignment D/assignments/:
 listPermissions G/permissions *
 explain P/- *
iam.agentIdentities
 list G *
iam.roles
 list G *
 create P *
 update A/: *
 remove D/:
 permissions G/:/-
 setPermissions U/:/permissions *
 usage G/:/-
iam.groups
 list G *
 create P *
 get G/:
 update A/: *
 remove D/:
 members G/:/- *
 addMembers P/:/members *
 removeMember D/:/members/:
iam.serviceAccounts
 list G *
 create P *
 disable P/:/-
 remove D/:
oauth.clients accounts/:/iam/oauth-clients
 list G *
 create P *
 get G/:
 update A/: *
 remove D/:
 rotateSecret P/:/-
oauth
 consentRequest G/authorize/consent/:
 decideConsent P/authorize/consent *
projects
 list G *
 listForAccount G account_id cursor
 get G/:
 detail G/:/-
 create P120 *
 createRepo P120/- *
 provision P120/- *
 update A/: *
 archive D/: *
 sessions G/:/- *
 createSession P/:/sessions *
 llmCatalog G/:/-
 modelPicker G/:/-
 modelAccess G/:/-
 setModelAccess U/:/model-access *
 sandboxTemplates G/:/-
 sandboxHealth G/:/-
github projects/github
 getInstallation G/installation account_id
 listInstallations G/installations account_id
 saveInstallation P60/installation *
 deleteInstallation D/installation account_id installation_id
 listRepositories G60/repositories account_id installation_id *
 listRepositoryBranches G60/repository-branches account_id installation_id repo_full_name
github projects
 linkRepository P120/- *
project projects/:
 get G
 detail G/-
 update A *
 archive D *
 onboardingComplete A/onboarding completed
 validateManifest P/manifest/validate raw
 gitToken P/-
 setAgentScope U/agents/:/scope *
 setDefaultAgent U/default-agent agent
 updateFeatureFlag A/features feature enabled
 updateExperimentalFeature A/experimental feature enabled
 sandboxHealth G/-
 llmCatalog G/-
 modelPicker G/-
project.secrets projects/:/git-credential
 setGitCredential U *
project.tokens projects/:/cli-token
 list G *
 create P *
 revoke D/:
project.secrets
 list G *
 upsert P *
 setStrategy U/:/strategy strategy *
 remove D/:
 setPersonal U/:/personal value
 removePersonal D/:/personal
project.access
 list G *
 invite P/- email role expires_at
 update U/: role expires_at
 revoke D/:
 pendingInvites G/- *
 resendInvite P/pending-invites/:/resend
 revokeInvite D/pending-invites/:
project.access projects/:/access-requests
 request P message
 requests G *
 approveRequest P/:/approve role
 rejectRequest P/:/reject
project.access projects/:/group-grants
 groupGrants G *
 attachGroupGrant P group_id role expires_at
 updateGroupGrant A/: role expires_at
 detachGroupGrant D/:
project.access.resourceGrants projects/:/resource-grants
 list G *
 create P ~
 remove D/:
project.files
 list G *
 read G/content path ref
 search G/- q *
 archive G0/- *
 history G/- path *
project.git projects/:
 commits G/- *
 commit G/commits/:
 commitDiff G/commits/:/diff *
 branches G/-
 versionDiff G/- from into
project.changeRequests
 list G status cursor
 get G/:
 diff G/:/-
 mergePreview G/:/-
 open P *
 edit A/: *
 merge P/:/- *
 close P/:/- *
 reopen P/:/- *
 requestChanges P/:/- *
project.sandbox projects/:
 list G/sandboxes
 snapshots G/-
 buildLog G/snapshots/builds/:/log
 rebuildSnapshot P/snapshots/rebuild slug
 fixWithAgent P120/snapshots/-
 createTemplate P/sandbox-templates *
 updateTemplate A/sandbox-templates/: *
 removeTemplate D/sandbox-templates/:
 buildTemplate P/sandbox-templates/:/build
 setProvider A/sandbox-provider provider
 transition G/sandbox-provider/-
project.sandbox.egress projects/:/sandbox-egress
 get G
 update U allow
 log G/- *
billing.sessionCosts usage/session-costs
 list G ~
 export G0.csv ~
 get G/: ~
project.gateway
 logs G/- *
 log G/logs/:
 overview G/- days
 series G/- days
 breakdown G/- days
 sessions G/- days
 errors G/- days
 budgets G/-
 setBudget U/budgets *
 deleteBudget D/budgets/:
 keys G/-
 createKey P/keys name
 revokeKey D/keys/:
 retention G/-
 setRetention U/retention *
 playground P120/- prompt models *
project.gateway.routing projects/:/gateway/routing-policy
 get G
 set U *
 reset D
 preview P/- *
project.modelDefaults
 get G
 set U *
 clear D *
project.sessions
 list G *
 create P *
 warm P/- *
session projects/:/sessions/:
 get G
 update A *
 delete D
 restart P/-
 stop P/-
 setSharing U/sharing *
 commit P/commit-push *
 transcript G/- *
 audit G/- limit ~
 previews G/-
 storedMessages G/messages *
 turn G/-
 scope G/-
 rescope U/scope *
 changeModel U/model opencode_model
 configState G/config
 reloadConfig P/reload *
 question G/-
 answerQuestion P/question answers request_id
session.publicShares
 list G
 create P *
 revoke D/:
session.prompts
 list G
 send P *
 cancel D/:
 retry P/:/-
 hold P/- held
sandboxShares p/share
 list G sandbox_id
 create P ~
 revoke D/: sandbox_id
operator
 health G/-
 mailbox G/-
operator.jobs
 list G
 dead G/- *
 retry P/dead/:/-
 discard D/dead/:
operator.settings
 get G
 update A *
operator.sandboxes
 list G *
 destroy D/:
operator.users
 list G *
operator.catalog
 get G
 refresh P/-
audit
 instanceLog G ~
 instanceExport G0/export ~
 keys G/-
system connectors
 connectStatus G/-
`
