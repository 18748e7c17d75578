/** The sections of a project. A capability that the server does not have has no entry here. */
export const projectSections = [
  { to: '/projects/$projectId', label: 'Home', isExact: true },
  { to: '/projects/$projectId/sessions', label: 'Sessions', isExact: false },
  { to: '/projects/$projectId/change-requests', label: 'Change requests', isExact: false },
  { to: '/projects/$projectId/files', label: 'Files', isExact: false },
  { to: '/projects/$projectId/history', label: 'History', isExact: false },
  { to: '/projects/$projectId/agents', label: 'Agents', isExact: false },
  { to: '/projects/$projectId/models', label: 'Models', isExact: false },
  { to: '/projects/$projectId/secrets', label: 'Secrets', isExact: false },
  { to: '/projects/$projectId/access', label: 'Access', isExact: false },
  { to: '/projects/$projectId/settings', label: 'Settings', isExact: false },
] as const

/** The parts of a section that has several; `command` is what the palette calls one that the section is not named for. */
export const agentTabs = [
  { to: '/projects/$projectId/agents', label: 'Agents and skills' },
  { to: '/projects/$projectId/agents/manifest', label: 'Manifest', command: 'Manifest' },
] as const

export const modelTabs = [
  { to: '/projects/$projectId/models', label: 'Figures' },
  { to: '/projects/$projectId/models/calls', label: 'Calls', command: 'Model calls' },
  { to: '/projects/$projectId/models/routing', label: 'Routing', command: 'Model routing' },
  { to: '/projects/$projectId/models/playground', label: 'Playground', command: 'Playground' },
  { to: '/projects/$projectId/models/budgets', label: 'Budgets', command: 'Budgets' },
  { to: '/projects/$projectId/models/keys', label: 'Keys', command: 'Model keys' },
] as const

export const projectParts = [...agentTabs, ...modelTabs].flatMap((tab) =>
  'command' in tab ? [{ to: tab.to, label: tab.command }] : [],
)

export const accountSections = [
  { to: '/accounts/$accountId', label: 'Members', isExact: true },
  { to: '/accounts/$accountId/tokens', label: 'Tokens', isExact: false },
  { to: '/accounts/$accountId/branding', label: 'Branding', isExact: false },
  { to: '/accounts/$accountId/audit', label: 'Audit', isExact: false },
] as const

export const operatorSections = [
  { to: '/operator', label: 'Health', isExact: true },
  { to: '/operator/jobs', label: 'Jobs', isExact: false },
  { to: '/operator/sandboxes', label: 'Sandboxes', isExact: false },
  { to: '/operator/people', label: 'People', isExact: false },
  { to: '/operator/settings', label: 'Settings', isExact: false },
  { to: '/operator/mail', label: 'Mail', isExact: false },
] as const
