import { readTable } from '../wire/read-table.ts'

/**
 * How one tool's calls are shown in a line: icon, title, where the subtitle comes from, and which other spellings name
 * the same tool.
 *
 * A title may end in `(<input field>|<default>)`. A subtitle is `<input fields, tried in turn>:<how it is cut>|<default>`,
 * the last two optional. Spellings: `-` also with dashes, `oc` also with dashes and with the prefix `oc-`.
 */

/**
 * Every tool whose calls have a line of their own: the names that are looked up exactly, then the row. As text, because
 * text packs best.
 */
export const TOOL_CALLS = /* @__PURE__ */ readTable(`read;glasses;Read;filePath:file
list;list;List;path:directory
glob;search;Glob;pattern
grep;search;Grep;pattern
webfetch;globe;Web Fetch;url
websearch web-search web_search;search;Web Search;query
scrape-webpage;globe;Scrape;urls:first
image-search;image;Image Search;query
image-gen;image;Image Gen;prompt:40
video-gen;cpu;Video Gen;prompt:40
presentation-gen;presentation;Presentation;slide_title,presentation_name
show show-user;globe;Output;title,description
task;square-kanban;Agent (subagent_type|task);:card
session_spawn session_start_background;square-kanban;Worker (agent|SvcWorker);description,prompt:60;oc
bash;terminal;Shell;description
edit morph_edit;file-pen;Edit;filePath:folder
write;file-pen;Write;filePath:folder
apply_patch;file-pen;Patch;:files
todowrite;check-square;Todos
todoread;check-square;Todos (read)
question;message-circle;Questions
prune;scissors;Prune Context;reason
distill;scissors;Distill Context
compress;scissors;Compress Context;topic
context_info;scissors;Context Info
session_read;glasses;Session Read (mode|summary);session_id:tail;oc
session_search;search;Session Search;query;oc
session_message;message-circle;Message → Session;session_id:tail;oc
session_lineage;list-tree;Session Lineage;session_id:tail;oc
session_list_background session_list_spawned;layers;Background Sessions;project|all;oc
session_stats;layers;Session Stats;session_id:tail|current;oc
session_list;list;Session List;search;oc
session_get;book-open;Session Get;session_id:tail;oc
session_context;book-open;Session Context;session_id:tail;oc
project_create;folder-plus;Project Create;name;oc
project_list;folder;Projects;;oc
project_get project_update;folder;Project;name,project;oc
project_select;folder;Project Select;project;oc
project_delete;trash-2;Project Delete;project;oc
triggers;clock;Create Trigger;name
trigger_create;clock;Create Trigger;name;oc
trigger_list;clock;List Triggers;;oc
trigger_get;clock;Trigger Details;name,id;oc
trigger_delete;clock;Delete Trigger;name,id;oc
trigger_update;clock;Update Trigger;name,id;oc
trigger_test;clock;Test Trigger;name,id;oc
trigger_pause;clock;Pause Trigger;name,id;oc
trigger_resume;clock;Resume Trigger;name,id;oc
agent_spawn;cpu;Agent (agent_type|worker);description;-
agent_message;message-circle;Agent Message;agent_id;-
agent_stop;ban;Agent Stop;agent_id;-
agent_status;layers;Agent Status;;-
agent_task;check-square;Create Task;title;oc
agent_task_update;check-square;Update Task;task_id;oc
agent_task_list;check-square;List Tasks;;oc
agent_task_get;check-square;Task Details;task_id;oc
task_create;plus;Create Task;title;-
task_list;list;Tasks;status|all;-
task_update;refresh-cw;Update Task;id;-
task_done;check-circle;Task Done;id;-
task_delete;trash-2;Delete Task;id;-
pty_spawn;terminal;Spawn;title,command
pty_read;terminal;Terminal Output;id
pty_write pty_input;terminal;Terminal Input;id
pty_kill;terminal;Kill Process;id`)
