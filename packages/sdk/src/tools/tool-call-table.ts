/** How one tool's calls are shown in a line. */
export interface ToolCallRow {
  readonly icon: string
  readonly title: string
  /** Adds ` (<input field or default>)` to the title. */
  readonly about?: readonly [field: string, otherwise: string]
  /** Input fields tried in turn for the subtitle. */
  readonly from?: readonly string[]
  /** Subtitle when none of the fields is there. */
  readonly otherwise?: string
  /** How the subtitle is made from its field. */
  readonly as?:
    | 'file'
    | 'directory'
    | 'file-with-folder'
    | 'tail'
    | 'first-item'
    | 'start-40'
    | 'description-or-prompt'
    | 'file-count'
    | 'card'
  /** Other spellings that name the same tool: with dashes, or with dashes and with the `oc-` prefix. */
  readonly spellings?: 'dash' | 'oc'
}

const WEB_SEARCH: ToolCallRow = { icon: 'search', title: 'Web Search', from: ['query'] }
const OUTPUT: ToolCallRow = { icon: 'globe', title: 'Output', from: ['title', 'description'] }
const EDIT: ToolCallRow = { icon: 'file-pen', title: 'Edit', from: ['filePath'], as: 'file-with-folder' }
const TERMINAL_INPUT: ToolCallRow = { icon: 'terminal', title: 'Terminal Input', from: ['id'] }
const WORKER: ToolCallRow = {
  icon: 'square-kanban',
  title: 'Worker',
  about: ['agent', 'SvcWorker'],
  as: 'description-or-prompt',
  spellings: 'oc',
}
const BACKGROUND: ToolCallRow = {
  icon: 'layers',
  title: 'Background Sessions',
  from: ['project'],
  otherwise: 'all',
  spellings: 'oc',
}
const PROJECT: ToolCallRow = { icon: 'folder', title: 'Project', from: ['name', 'project'], spellings: 'oc' }

/** Every tool whose calls have a line of their own, by the spelling that is looked up exactly. */
export const TOOL_CALLS: Readonly<Record<string, ToolCallRow>> = {
  read: { icon: 'glasses', title: 'Read', from: ['filePath'], as: 'file' },
  list: { icon: 'list', title: 'List', from: ['path'], as: 'directory' },
  glob: { icon: 'search', title: 'Glob', from: ['pattern'] },
  grep: { icon: 'search', title: 'Grep', from: ['pattern'] },
  webfetch: { icon: 'globe', title: 'Web Fetch', from: ['url'] },
  websearch: WEB_SEARCH,
  'web-search': WEB_SEARCH,
  web_search: WEB_SEARCH,
  'scrape-webpage': { icon: 'globe', title: 'Scrape', from: ['urls'], as: 'first-item' },
  'image-search': { icon: 'image', title: 'Image Search', from: ['query'] },
  'image-gen': { icon: 'image', title: 'Image Gen', from: ['prompt'], as: 'start-40' },
  'video-gen': { icon: 'cpu', title: 'Video Gen', from: ['prompt'], as: 'start-40' },
  'presentation-gen': { icon: 'presentation', title: 'slides', from: ['slide_title', 'presentation_name'] },
  show: OUTPUT,
  'show-user': OUTPUT,
  task: { icon: 'square-kanban', title: 'Agent', about: ['subagent_type', 'task'], as: 'card' },
  session_spawn: WORKER,
  session_start_background: WORKER,
  bash: { icon: 'terminal', title: 'Shell', from: ['description'] },
  edit: EDIT,
  morph_edit: EDIT,
  write: { ...EDIT, title: 'Write' },
  apply_patch: { icon: 'file-pen', title: 'Patch', as: 'file-count' },
  todowrite: { icon: 'check-square', title: 'Todos' },
  todoread: { icon: 'check-square', title: 'Todos (read)' },
  question: { icon: 'message-circle', title: 'Questions' },
  prune: { icon: 'scissors', title: 'Prune Context', from: ['reason'] },
  distill: { icon: 'scissors', title: 'Distill Context' },
  compress: { icon: 'scissors', title: 'Compress Context', from: ['topic'] },
  context_info: { icon: 'scissors', title: 'Context Info' },
  session_read: {
    icon: 'glasses',
    title: 'Session Read',
    about: ['mode', 'summary'],
    from: ['session_id'],
    as: 'tail',
    spellings: 'oc',
  },
  session_search: { icon: 'search', title: 'Session Search', from: ['query'], spellings: 'oc' },
  session_message: {
    icon: 'message-circle',
    title: 'Message → Session',
    from: ['session_id'],
    as: 'tail',
    spellings: 'oc',
  },
  session_lineage: { icon: 'list-tree', title: 'Session Lineage', from: ['session_id'], as: 'tail', spellings: 'oc' },
  session_list_background: BACKGROUND,
  session_list_spawned: BACKGROUND,
  session_stats: {
    icon: 'layers',
    title: 'Session Stats',
    from: ['session_id'],
    as: 'tail',
    otherwise: 'current',
    spellings: 'oc',
  },
  session_list: { icon: 'list', title: 'Session List', from: ['search'], spellings: 'oc' },
  session_get: { icon: 'book-open', title: 'Session Get', from: ['session_id'], as: 'tail', spellings: 'oc' },
  session_context: { icon: 'book-open', title: 'Session Context', from: ['session_id'], as: 'tail', spellings: 'oc' },
  project_create: { icon: 'folder-plus', title: 'Project Create', from: ['name'], spellings: 'oc' },
  project_list: { icon: 'folder', title: 'Projects', spellings: 'oc' },
  project_get: PROJECT,
  project_update: PROJECT,
  project_select: { icon: 'folder', title: 'Project Select', from: ['project'], spellings: 'oc' },
  project_delete: { icon: 'trash-2', title: 'Project Delete', from: ['project'], spellings: 'oc' },
  triggers: { icon: 'clock', title: 'Create Trigger', from: ['name'] },
  trigger_create: { icon: 'clock', title: 'Create Trigger', from: ['name'], spellings: 'oc' },
  trigger_list: { icon: 'clock', title: 'List Triggers', spellings: 'oc' },
  trigger_get: { icon: 'clock', title: 'Trigger Details', from: ['name', 'id'], spellings: 'oc' },
  trigger_delete: { icon: 'clock', title: 'Delete Trigger', from: ['name', 'id'], spellings: 'oc' },
  trigger_update: { icon: 'clock', title: 'Update Trigger', from: ['name', 'id'], spellings: 'oc' },
  trigger_test: { icon: 'clock', title: 'Test Trigger', from: ['name', 'id'], spellings: 'oc' },
  trigger_pause: { icon: 'clock', title: 'Pause Trigger', from: ['name', 'id'], spellings: 'oc' },
  trigger_resume: { icon: 'clock', title: 'Resume Trigger', from: ['name', 'id'], spellings: 'oc' },
  agent_spawn: {
    icon: 'cpu',
    title: 'Agent',
    about: ['agent_type', 'worker'],
    from: ['description'],
    spellings: 'dash',
  },
  agent_message: { icon: 'message-circle', title: 'Agent Message', from: ['agent_id'], spellings: 'dash' },
  agent_stop: { icon: 'ban', title: 'Agent Stop', from: ['agent_id'], spellings: 'dash' },
  agent_status: { icon: 'layers', title: 'Agent Status', spellings: 'dash' },
  agent_task: { icon: 'check-square', title: 'Create Task', from: ['title'], spellings: 'oc' },
  agent_task_update: { icon: 'check-square', title: 'Update Task', from: ['task_id'], spellings: 'oc' },
  agent_task_list: { icon: 'check-square', title: 'List Tasks', spellings: 'oc' },
  agent_task_get: { icon: 'check-square', title: 'Task Details', from: ['task_id'], spellings: 'oc' },
  task_create: { icon: 'plus', title: 'Create Task', from: ['title'], spellings: 'dash' },
  task_list: { icon: 'list', title: 'Tasks', from: ['status'], otherwise: 'all', spellings: 'dash' },
  task_update: { icon: 'refresh-cw', title: 'Update Task', from: ['id'], spellings: 'dash' },
  task_done: { icon: 'check-circle', title: 'Task Done', from: ['id'], spellings: 'dash' },
  task_delete: { icon: 'trash-2', title: 'Delete Task', from: ['id'], spellings: 'dash' },
  pty_spawn: { icon: 'terminal', title: 'Spawn', from: ['title', 'command'] },
  pty_read: { icon: 'terminal', title: 'Terminal Output', from: ['id'] },
  pty_write: TERMINAL_INPUT,
  pty_input: TERMINAL_INPUT,
  pty_kill: { icon: 'terminal', title: 'Kill Process', from: ['id'] },
}
