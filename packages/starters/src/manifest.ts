/** The manifest a project begins with. It works as it is, and shows every section that a newcomer asks for first. */
export const manifest = `# What this project is made of. Agents, triggers, connectors and sandboxes are declared here; how an agent behaves is
# written in .svc/opencode/agents/<name>.md. Check it with: svc validate
svc_version: 2

project:
  name: "{{projectName}}"
  description: "What this project is for, in one sentence."

# The agent that new sessions use. It must be one of the agents below.
default_agent: svc

agents:
  # May do everything in this project that the person who starts it may do.
  svc:
    connectors: all
    secrets: all
    skills: all
    svc_cli: all

  # Reads and comments, changes nothing: no connectors, no secrets, and a list of permissions in place of "all".
  reviewer:
    connectors: none
    secrets: none
    skills: none
    svc_cli:
      - project.read
      - project.file.read
      - project.gitops.read
      - project.review.read
      - project.review.act

# Names of secrets that agents read from their environment. Values never stand here: set them with svc secrets set NAME.
env:
  required: []
  optional: []

# A sandbox of your own, when the platform's image is not enough. Give an image or a Dockerfile of this repository.
#
# sandbox:
#   default: python
#   templates:
#     - slug: python
#       image: python:3.13-bookworm
#       cpu: 2
#       memory: 4
#       disk: 10

# What starts agents without a person. Nothing here runs until you take the marks away.
#
# triggers:
#   - slug: weekly-report
#     type: cron
#     cron: "0 9 * * 1"
#     timezone: Europe/Berlin
#     agent: svc
#     prompt: Write a short report of what changed in this repository last week.
#
#   - slug: new-ticket
#     type: webhook
#     secret_env: TICKET_WEBHOOK_SECRET
#     agent: svc
#     prompt: "A customer wrote: {{ body.text }}. Draft an answer and open a change request with it."

# Tools from elsewhere. Every call passes the policies: run, ask first, or block.
#
# connectors:
#   - slug: docs
#     provider: mcp
#     url: https://mcp.example.com/mcp
#     auth:
#       type: bearer
#     policies:
#       - match: "delete_*"
#         action: block
#       - match: "*"
#         action: require_approval
`
