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
