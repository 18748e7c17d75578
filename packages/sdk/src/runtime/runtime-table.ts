/**
 * The agent runtime's routes and the daemon's, in the form of the client's own call table. The blocking calls
 * (`prompt`, `command`, `shell`) answer when the whole turn is done, so they wait as long as the proxy does.
 */
export const RUNTIME_CALLS = `session
 list G *
 create P *
 status G/-
 get G/:
 update A/: *
 remove D/:
 children G/:/-
 todo G/:/-
 diff G/:/- *
 messages G/:/message *
 prompt P900/:/message *
 promptAsync P/:/prompt_async *
 command P900/:/- *
 shell P900/:/- *
 abort P/:/-
 revert P/:/- *
 unrevert P/:/-
 summarize P900/:/- *
 fork P/:/- *
 removeMessage D/:/message/:
 updatePart A/:/message/:/part/: *
 removePart D/:/message/:/part/:
permission
 list G
 reply P/:/- reply message
question
 list G
 reply P/:/- answers
 reject P/:/-
app agent
 agents G
app skill
 skills G
command
 list G
config
 get G
 update A *
 providers G/-
provider
 list G
mcp
 status G
 add P *
 connect P/:/-
 disconnect P/:/-
find
 text G pattern
 files G/file query *
 symbols G/symbol query
file
 list G path
 read G/content path
 status G/-
 remove X path
 mkdir P/- path
 rename P/- from to
pty
 list G
 create P *
 get G/:
 update U/: *
 remove D/:
project
 current G/-
path
 get G
vcs
 get G
global
 health G/-
 dispose P/-
`
