/**
 * The agent runtime's routes and the daemon's, in the form of the client's own call table. The blocking calls
 * (`prompt`, `command`, `shell`) answer when the whole turn is done, so they wait as long as the proxy does.
 */
export const RUNTIME_CALLS = `session session
 list G *
 create P *
 status G/status
 get G/:
 update A/: *
 remove D/:
 children G/:/children
 todo G/:/todo
 diff G/:/diff *
 messages G/:/message *
 prompt P900/:/message *
 promptAsync P/:/prompt_async *
 command P900/:/command *
 shell P900/:/shell *
 abort P/:/abort
 revert P/:/revert *
 unrevert P/:/unrevert
 summarize P900/:/summarize *
 fork P/:/fork *
 removeMessage D/:/message/:
 updatePart A/:/message/:/part/: *
 removePart D/:/message/:/part/:
permission permission
 list G
 reply P/:/reply reply message
question question
 list G
 reply P/:/reply answers
 reject P/:/reject
app
 agents Gagent
 skills Gskill
command command
 list G
config config
 get G
 update A *
 providers G/providers
provider provider
 list G
mcp mcp
 status G
 add P *
 connect P/:/connect
 disconnect P/:/disconnect
find find
 text G pattern
 files G/file query *
 symbols G/symbol query
file file
 list G path
 read G/content path
 status G/status
 remove X path
 mkdir P/mkdir path
 rename P/rename from to
pty pty
 list G
 create P *
 get G/:
 update U/: *
 remove D/:
project project
 current G/current
path path
 get G
vcs vcs
 get G
global global
 health G/health
 dispose P/dispose
`
