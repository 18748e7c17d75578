import { readTable } from '../wire/read-table.ts'

/**
 * How one tool's calls are shown in a line: title, icon, where the subtitle comes from, and which other spellings name
 * the same tool.
 *
 * Without a title it is the name made readable. A title may end in `(<input field>|<default>)`. A subtitle is `<input fields, tried in turn>:<how it is cut>|<default>`,
 * the last two optional. Spellings: `-` also with dashes, `oc` also with dashes and with the prefix `oc-`.
 */

/**
 * Every tool whose calls have a line of their own: the names that are looked up exactly, then the row. As text, because
 * text packs best.
 */
export const TOOL_CALLS = /* @__PURE__ */ readTable(`read;;glasses;filePath:file
list;;list;path:directory
glob;;search;pattern
grep;;search;pattern
webfetch;Web Fetch;globe;url
websearch web-search web_search;Web Search;search;query
scrape-webpage;Scrape;globe;urls:first
image-search;;image;query
image-gen;;image;prompt:40
video-gen;;cpu;prompt:40
presentation-gen;Presentation;presentation;slide_title,presentation_name
show show-user;Output;globe;title,description
task;Agent (subagent_type|task);square-kanban;:card
session_spawn session_start_background;Worker (agent|SvcWorker);square-kanban;description,prompt:60;oc
bash;Shell;terminal;description
edit morph_edit;Edit;file-pen;filePath:folder
write;;file-pen;filePath:folder
apply_patch;Patch;file-pen;:files
todowrite;Todos;check-square
todoread;Todos (read);check-square
question;Questions;message-circle
prune;Prune Context;scissors;reason
distill;Distill Context;scissors
compress;Compress Context;scissors;topic
context_info;;scissors
session_read;Session Read (mode|summary);glasses;session_id:tail;oc
session_search;;search;query;oc
session_message;Message → Session;message-circle;session_id:tail;oc
session_lineage;;list-tree;session_id:tail;oc
session_list_background session_list_spawned;Background Sessions;layers;project|all;oc
session_stats;;layers;session_id:tail|current;oc
session_list;;list;search;oc
session_get;;book-open;session_id:tail;oc
session_context;;book-open;session_id:tail;oc
project_create;;folder-plus;name;oc
project_list;Projects;folder;;oc
project_get project_update;Project;folder;name,project;oc
project_select;;folder;project;oc
project_delete;;trash-2;project;oc
triggers;Create Trigger;clock;name
trigger_create;Create Trigger;clock;name;oc
trigger_list;List Triggers;clock;;oc
trigger_get;Trigger Details;clock;name,id;oc
trigger_delete;Delete Trigger;clock;name,id;oc
trigger_update;Update Trigger;clock;name,id;oc
trigger_test;Test Trigger;clock;name,id;oc
trigger_pause;Pause Trigger;clock;name,id;oc
trigger_resume;Resume Trigger;clock;name,id;oc
agent_spawn;Agent (agent_type|worker);cpu;description;-
agent_message;;message-circle;agent_id;-
agent_stop;;ban;agent_id;-
agent_status;;layers;;-
agent_task;Create Task;check-square;title;oc
agent_task_update;Update Task;check-square;task_id;oc
agent_task_list;List Tasks;check-square;;oc
agent_task_get;Task Details;check-square;task_id;oc
task_create;Create Task;plus;title;-
task_list;Tasks;list;status|all;-
task_update;Update Task;refresh-cw;id;-
task_done;;check-circle;id;-
task_delete;Delete Task;trash-2;id;-
pty_spawn;Spawn;terminal;title,command
pty_read;Terminal Output;terminal;id
pty_write pty_input;Terminal Input;terminal;id
pty_kill;Kill Process;terminal;id`)
