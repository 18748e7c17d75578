import { manifest } from './manifest.ts'
import type { StarterFile } from './starter-file.ts'

const configDir = '.svc/opencode'

const readme = `# {{projectName}}

A project in which agents work. Everything they need is in this repository:

| Where | What |
|---|---|
| \`svc.yaml\` | the manifest: which agents there are and what each may use |
| \`.svc/opencode/agents/\` | one file per agent: how it behaves |
| \`.svc/opencode/skills/\` | what agents can look up when a task needs it |
| \`.svc/opencode/commands/\` | prompts you can start by name |
| \`.svc/memory/MEMORY.md\` | what the agents of this project remember together |

## First steps

1. Start a session and ask: *What can you do here?*
2. An agent works on a branch of its own. When it is done it opens a change request; look at it and merge it.
3. To change an agent, edit its file, or ask an agent to do it. A change counts from its merge on.

Secrets never belong in this repository. Set them with \`svc secrets set NAME\` and list their names under \`env\` in
the manifest.
`

const gitignore = `# Secrets and local settings
.env
.env.*
!.env.example
.svc/link.json

# What tools leave behind
node_modules/
dist/
.svc/opencode/.cache/
.svc/opencode/state/
*.log
.DS_Store
`

const memory = `# Memory

Notes that every agent of {{projectName}} reads first. Keep them short and true: what this project is, decisions that
were made, and what to remember next time. Remove what no longer holds.

## What this project is

## Decisions

## Remember
`

const settings = `{
  // Settings of the agent runtime. Agents, skills and commands are found in the folders beside this file.
  "$schema": "https://opencode.ai/config.json",
  "permission": {
    "edit": "allow",
    "bash": "allow",
    "webfetch": "allow",
    // Leaving the workspace, or repeating the same step for ever, is never what was meant.
    "external_directory": "deny",
    "doom_loop": "deny"
  }
}
`

const toolPackage = `{
  "private": true,
  "type": "module",
  "description": "Dependencies of the tools and plugins beside this file",
  "dependencies": {}
}
`

const mainAgent = `---
description: Works in this repository and opens change requests
mode: primary
---

You work in the repository of {{projectName}}.

- Read \`.svc/memory/MEMORY.md\` before you begin, and add to it what the next agent should know.
- Look at what is there before you change it. Follow the style you find.
- Work in small steps. Run the project's own checks when it has some.
- You are on a branch of your own. Commit with a message that says what changed and why.
- When the task is done, open a change request with a title a reader understands without opening it, and say in its
  description what you did, how you checked it and what is left.
- When something is unclear and guessing would be expensive, ask. Otherwise decide, and say what you decided.
- Never write a secret into a file, a commit or a message.
`

const reviewer = `---
description: Reads changes and says what is wrong with them; changes nothing
mode: primary
permission:
  edit: deny
  bash: deny
---

You review changes of {{projectName}}.

Read the whole change before you judge any of it. Say first whether it does what it claims. Then list what is wrong,
most serious first; for each point the file and line, what happens because of it, and what you would do. Do not comment
on taste where the code follows the style around it. If nothing is wrong, say so in one sentence.
`

const reviewCommand = `---
description: Review a change request by its number
agent: reviewer
---

Review change request $ARGUMENTS. Begin with what it claims to do and whether it does that.
`

const cliSkill = `---
name: svc-cli
description: How to reach the platform from inside a session - secrets, connectors, triggers, change requests
---

# The svc command

The \`svc\` command is installed in every session and signed in already. It may do what this agent's \`svc_cli\` list in
\`svc.yaml\` allows. Every command prints JSON with \`--json\` and explains itself with \`--help\`.

| To | Run |
|---|---|
| check the manifest after editing it | \`svc validate\` |
| see which secrets exist | \`svc secrets list\` |
| ask a person for a secret | \`svc secrets request NAME\` |
| see the tools of connectors | \`svc connectors tools\` |
| call one | \`svc connectors call <connector>.<action> '{"key": "value"}'\` |
| open a change request | \`svc cr open --title "What changed"\` |
| see triggers | \`svc triggers list\` |

A call that answers with an approval waits for a person. Say what you are waiting for, and go on with something else.
More skills of the platform are named \`svc-…\` and are present in every session.
`

/** What every project begins with. */
export const baseFiles: readonly StarterFile[] = [
  { path: 'svc.yaml', content: manifest },
  { path: 'README.md', content: readme },
  { path: '.gitignore', content: gitignore },
  { path: '.svc/memory/MEMORY.md', content: memory },
  { path: `${configDir}/opencode.jsonc`, content: settings },
  { path: `${configDir}/package.json`, content: toolPackage },
  { path: `${configDir}/agents/svc.md`, content: mainAgent },
  { path: `${configDir}/agents/reviewer.md`, content: reviewer },
  { path: `${configDir}/commands/review.md`, content: reviewCommand },
  { path: `${configDir}/skills/svc-cli/SKILL.md`, content: cliSkill },
]
