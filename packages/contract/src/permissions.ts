/**
 * The permission catalog: every action anyone can be allowed, in one table. Roles, the access engine, operations, the
 * role editor and the reference all read it.
 */
export type PermissionLevel = 'view' | 'edit' | 'admin'

interface Row {
  readonly area: string
  readonly level: PermissionLevel
  readonly description: string
  readonly implies?: readonly string[]
  /** Only system roles may carry an action that is not delegable. */
  readonly delegable?: false
}

const rolesRead = ['role.read', 'policy.read'] as const

const account = {
  'account.read': { area: 'account', level: 'view', description: 'See the account and its settings.' },
  'account.write': {
    area: 'account',
    level: 'edit',
    description: 'Change the account’s name, branding and audit webhooks.',
    implies: ['account.read'],
  },
  'account.delete': {
    area: 'account',
    level: 'edit',
    description: 'Delete the account.',
    implies: ['account.read', 'account.write'],
    delegable: false,
  },
  'billing.read': { area: 'billing', level: 'view', description: 'See plan, credits and usage.' },
  'billing.write': {
    area: 'billing',
    level: 'edit',
    description: 'Change the plan and buy credits.',
    implies: ['billing.read'],
    delegable: false,
  },
  'audit.read': { area: 'audit', level: 'view', description: 'Read and export the audit log.' },
  'member.read': { area: 'members', level: 'view', description: 'See who belongs to the account.' },
  'member.invite': {
    area: 'members',
    level: 'edit',
    description: 'Invite people to the account.',
    implies: ['member.read'],
    delegable: false,
  },
  'member.update': {
    area: 'members',
    level: 'edit',
    description: 'Change the account role of a member.',
    implies: ['member.read'],
    delegable: false,
  },
  'member.remove': {
    area: 'members',
    level: 'edit',
    description: 'Remove a member from the account.',
    implies: ['member.read'],
    delegable: false,
  },
  'member.super_admin.grant': {
    area: 'members',
    level: 'admin',
    description: 'Make somebody an owner, or change an owner’s role.',
    delegable: false,
  },
  'group.read': { area: 'groups', level: 'view', description: 'See groups and their members.' },
  'group.create': {
    area: 'groups',
    level: 'edit',
    description: 'Create a group.',
    implies: ['group.read'],
    delegable: false,
  },
  'group.update': {
    area: 'groups',
    level: 'edit',
    description: 'Rename or describe a group.',
    implies: ['group.read'],
    delegable: false,
  },
  'group.delete': {
    area: 'groups',
    level: 'edit',
    description: 'Delete a group.',
    implies: ['group.read'],
    delegable: false,
  },
  'group.members.manage': {
    area: 'groups',
    level: 'edit',
    description: 'Add people to a group or remove them.',
    implies: ['group.read'],
    delegable: false,
  },
  'policy.read': { area: 'roles', level: 'view', description: 'See who is assigned which role where.' },
  'role.read': { area: 'roles', level: 'view', description: 'See roles and what they allow.' },
  'policy.create': {
    area: 'roles',
    level: 'edit',
    description: 'Assign a custom role.',
    implies: rolesRead,
    delegable: false,
  },
  'policy.delete': {
    area: 'roles',
    level: 'edit',
    description: 'Revoke the assignment of a custom role.',
    implies: rolesRead,
    delegable: false,
  },
  'role.create': {
    area: 'roles',
    level: 'edit',
    description: 'Create a custom role.',
    implies: rolesRead,
    delegable: false,
  },
  'role.update': {
    area: 'roles',
    level: 'edit',
    description: 'Change what a custom role allows.',
    implies: rolesRead,
    delegable: false,
  },
  'role.delete': {
    area: 'roles',
    level: 'edit',
    description: 'Delete a custom role.',
    implies: rolesRead,
    delegable: false,
  },
  'token.read': { area: 'tokens', level: 'view', description: 'See the account’s tokens, without their values.' },
  'token.create': {
    area: 'tokens',
    level: 'edit',
    description: 'Create service accounts, OAuth clients and tokens of the account.',
    implies: ['token.read'],
    delegable: false,
  },
  'token.revoke': {
    area: 'tokens',
    level: 'edit',
    description: 'Revoke any token of the account.',
    implies: ['token.read'],
    delegable: false,
  },
  'project.create': { area: 'projects', level: 'edit', description: 'Create a project in the account.' },
} as const satisfies Record<string, Row>

const spendRead = ['project.gateway.logs.read', 'project.gateway.spend.read'] as const
const customizeRead = [
  'project.customize.read',
  'project.agent.read',
  'project.skill.read',
  'project.connector.read',
  'project.command.read',
  'project.secret.read',
] as const
/** Whoever may write the repository can change everything that is declared in it. */
const repository = [
  'project.gitops.read',
  'project.review.read',
  'project.file.write',
  'project.customize.write',
  'project.agent.write',
  'project.skill.write',
  'project.connector.write',
  'project.connector.connections.manage',
  'project.command.write',
  'project.secret.write',
  'project.trigger.create',
  'project.trigger.update',
  'project.trigger.delete',
  'project.trigger.fire',
] as const
const review = ['project.gitops.read', 'project.review.read'] as const

const project = {
  'project.read': { area: 'project', level: 'view', description: 'See the project.' },
  'project.write': {
    area: 'project',
    level: 'edit',
    description: 'Change the project’s settings.',
    implies: ['project.read'],
  },
  'project.delete': {
    area: 'project',
    level: 'edit',
    description: 'Archive the project.',
    implies: ['project.read', 'project.write'],
  },
  'project.session.read': { area: 'sessions', level: 'view', description: 'See sessions and their transcripts.' },
  'project.session.start': {
    area: 'sessions',
    level: 'edit',
    description: 'Start sessions and send prompts.',
    implies: ['project.session.read'],
  },
  'project.session.stop': {
    area: 'sessions',
    level: 'edit',
    description: 'Stop sessions.',
    implies: ['project.session.read'],
  },
  'project.session.bindings.write': {
    area: 'sessions',
    level: 'edit',
    description: 'Choose the connections and secrets of a session.',
    implies: ['project.session.read'],
  },
  'project.members.read': { area: 'members', level: 'view', description: 'See who has access to the project.' },
  'project.members.manage': {
    area: 'members',
    level: 'edit',
    description: 'Give and take access to the project.',
    implies: ['project.members.read'],
  },
  'project.trigger.read': { area: 'triggers', level: 'view', description: 'See triggers and their runs.' },
  'project.trigger.create': {
    area: 'triggers',
    level: 'edit',
    description: 'Create triggers.',
    implies: ['project.trigger.read'],
  },
  'project.trigger.update': {
    area: 'triggers',
    level: 'edit',
    description: 'Change, pause and resume triggers.',
    implies: ['project.trigger.read'],
  },
  'project.trigger.delete': {
    area: 'triggers',
    level: 'edit',
    description: 'Delete triggers.',
    implies: ['project.trigger.read'],
  },
  'project.trigger.fire': {
    area: 'triggers',
    level: 'edit',
    description: 'Run a trigger now.',
    implies: ['project.trigger.read'],
  },
  'project.gateway.logs.read': { area: 'spend', level: 'view', description: 'Read the log of model calls.' },
  'project.gateway.spend.read': { area: 'spend', level: 'view', description: 'See what models cost.' },
  'project.gateway.budget.set': {
    area: 'spend',
    level: 'edit',
    description: 'Set budgets, routing and model access.',
    implies: spendRead,
  },
  'project.gateway.keys.manage': {
    area: 'spend',
    level: 'edit',
    description: 'Create and revoke gateway keys.',
    implies: spendRead,
  },
  'project.agent.read': { area: 'customize', level: 'view', description: 'See agents.' },
  'project.agent.write': { area: 'customize', level: 'edit', description: 'Change agents.', implies: customizeRead },
  'project.skill.read': { area: 'customize', level: 'view', description: 'See skills.' },
  'project.skill.write': { area: 'customize', level: 'edit', description: 'Change skills.', implies: customizeRead },
  'project.command.read': { area: 'customize', level: 'view', description: 'See commands.' },
  'project.command.write': {
    area: 'customize',
    level: 'edit',
    description: 'Change commands.',
    implies: customizeRead,
  },
  'project.file.read': { area: 'files', level: 'view', description: 'Read the project’s files.' },
  'project.file.write': {
    area: 'files',
    level: 'edit',
    description: 'Write the project’s files.',
    implies: ['project.file.read'],
  },
  'project.customize.read': { area: 'customize', level: 'view', description: 'See features and the manifest.' },
  'project.customize.write': {
    area: 'customize',
    level: 'edit',
    description: 'Change features and the manifest.',
    implies: customizeRead,
  },
  'project.gitops.read': { area: 'git', level: 'view', description: 'Clone the repository and read its history.' },
  'project.gitops.push': { area: 'git', level: 'edit', description: 'Push branches.', implies: repository },
  'project.gitops.merge': { area: 'git', level: 'edit', description: 'Merge change requests.', implies: repository },
  'project.gitops.ref.any': {
    area: 'git',
    level: 'edit',
    description: 'Push branches other than the session’s own.',
    implies: ['project.gitops.read', 'project.gitops.push'],
  },
  'project.gitops.ref.delete': {
    area: 'git',
    level: 'edit',
    description: 'Delete branches and tags.',
    implies: ['project.gitops.read', 'project.gitops.push'],
  },
  'project.secret.read': {
    area: 'customize',
    level: 'view',
    description: 'See which secrets exist, never their values.',
  },
  'project.secret.write': { area: 'customize', level: 'edit', description: 'Write secrets.', implies: customizeRead },
  'project.connector.read': { area: 'customize', level: 'view', description: 'See connectors and their tools.' },
  'project.connector.connections.manage': {
    area: 'customize',
    level: 'edit',
    description: 'Connect, revoke and activate connections.',
    implies: customizeRead,
  },
  'project.connector.write': {
    area: 'customize',
    level: 'edit',
    description: 'Change connectors.',
    implies: customizeRead,
  },
  'project.app.read': { area: 'apps', level: 'view', description: 'See apps.' },
  'project.app.write': { area: 'apps', level: 'edit', description: 'Change apps.', implies: ['project.app.read'] },
  'project.app.deploy': { area: 'apps', level: 'edit', description: 'Deploy apps.', implies: ['project.app.read'] },
  'project.review.read': { area: 'git', level: 'view', description: 'See change requests.' },
  'project.review.submit': { area: 'git', level: 'edit', description: 'Open change requests.', implies: review },
  'project.review.act': {
    area: 'git',
    level: 'edit',
    description: 'Close, reopen and ask for changes in change requests.',
    implies: review,
  },
  'project.credentials.issue': {
    area: 'tokens',
    level: 'admin',
    description: 'Create project API keys.',
    implies: ['project.read'],
  },
} as const satisfies Record<string, Row>

export type AccountPermission = keyof typeof account
export type ProjectPermission = keyof typeof project
export type Permission = AccountPermission | ProjectPermission
export type ScopeType = 'account' | 'project'

/** One row of the catalog, as the API shows it. */
export interface CatalogRow {
  readonly action: Permission
  readonly scope_type: ScopeType
  readonly resource_type: ScopeType
  readonly delegable: boolean
  readonly description: string
  readonly area: string
  readonly level: PermissionLevel
  readonly implies: readonly string[]
}

export const permissionCatalog: readonly CatalogRow[] = [
  ...toRows(account, 'account'),
  ...toRows(project, 'project'),
].sort((a, b) => (a.action < b.action ? -1 : 1))

export const accountPermissions: readonly AccountPermission[] = Object.keys(account) as AccountPermission[]
export const projectPermissions: readonly ProjectPermission[] = Object.keys(project) as ProjectPermission[]

export function isPermission(value: string): value is Permission {
  return Object.hasOwn(account, value) || Object.hasOwn(project, value)
}

export function scopeOf(permission: Permission): ScopeType {
  return Object.hasOwn(account, permission) ? 'account' : 'project'
}

function toRows(rows: Record<string, Row>, scope: ScopeType): CatalogRow[] {
  return Object.entries(rows).map(([action, { area, level, description, implies = [], delegable = true }]) => ({
    action: action as Permission,
    scope_type: scope,
    resource_type: scope,
    delegable,
    description,
    area,
    level,
    implies,
  }))
}
