/**
 * The agent runtime's routes and the daemon's, in the form of the client's own call table. The blocking calls
 * (`prompt`, `command`, `shell`) answer when the whole turn is done, so they wait as long as the proxy does.
 */
export const RUNTIME_CALLS = `session session
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
permission permission
 list G
 reply P/:/- reply message
question question
 list G
 reply P/:/- answers
 reject P/:/-
app
 agents Gagent
 skills Gskill
command command
 list G
config config
 get G
 update A *
 providers G/-
provider provider
 list G
mcp mcp
 status G
 add P *
 connect P/:/-
 disconnect P/:/-
find find
 text G pattern
 files G/file query *
 symbols G/symbol query
file file
 list G path
 read G/content path
 status G/-
 remove X path
 mkdir P/- path
 rename P/- from to
pty pty
 list G
 create P *
 get G/:
 update U/: *
 remove D/:
project project
 current G/-
path path
 get G
vcs vcs
 get G
global global
 health G/-
 dispose P/-
`
