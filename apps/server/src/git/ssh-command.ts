/**
 * ssh without the operator's own set-up: no agent, no configuration, no questions. An unknown host key is pinned on
 * first use, a changed one refuses the connection.
 */
export function buildSshCommand(options: {
  knownHostsFile: string
  keyFile: string | null
  usesProxy: boolean
}): string {
  const settings = [
    'BatchMode=yes',
    'StrictHostKeyChecking=accept-new',
    `UserKnownHostsFile="${options.knownHostsFile.replaceAll('"', '')}"`,
    'GlobalKnownHostsFile=/dev/null',
    'UpdateHostKeys=no',
    'HashKnownHosts=no',
    'IdentityAgent=none',
    'IdentitiesOnly=yes',
    'PasswordAuthentication=no',
    'ForwardAgent=no',
    'ClearAllForwardings=yes',
    'PermitLocalCommand=no',
    'ConnectTimeout=20',
    'ServerAliveInterval=15',
    ...(options.usesProxy ? ['ProxyCommand="$SVC_NODE" -e "$SVC_SSH_CONNECT" %h %p'] : []),
  ]
  const identity = options.keyFile === null ? ['IdentityFile=none'] : [`IdentityFile="${options.keyFile}"`]
  return ['ssh', '-F', '/dev/null', ...[...settings, ...identity].flatMap((setting) => ['-o', quote(setting)])].join(
    ' ',
  )
}

/** Run by ssh as its proxy command: asks the guarded dialer for a tunnel and passes bytes both ways. */
export const sshProxyScript = `
const proxy = new URL(process.env.SVC_SSH_PROXY)
const [host, port] = process.argv.slice(-2)
const target = (host.includes(':') ? '[' + host + ']' : host) + ':' + port
const user = decodeURIComponent(proxy.username) + ':' + decodeURIComponent(proxy.password)
const auth = user === ':' ? '' : 'Proxy-Authorization: Basic ' + Buffer.from(user).toString('base64') + '\\r\\n'
const socket = require('node:net').connect(Number(proxy.port || 80), proxy.hostname.replace(/^\\[|\\]$/g, ''))
socket.write('CONNECT ' + target + ' HTTP/1.1\\r\\nHost: ' + target + '\\r\\n' + auth + '\\r\\n')
let head = Buffer.alloc(0)
const fail = (why) => { process.stderr.write('proxy refused: ' + why + '\\n'); process.exit(1) }
socket.on('error', (error) => fail(error.message))
socket.on('data', function onHead(piece) {
  head = Buffer.concat([head, piece])
  const end = head.indexOf('\\r\\n\\r\\n')
  if (end === -1) return head.length > 65536 ? fail('no answer') : undefined
  const status = head.toString('latin1', 0, head.indexOf('\\r\\n'))
  if (!/^HTTP\\/1\\.[01] 200/.test(status)) fail(status)
  socket.off('data', onHead)
  process.stdout.write(head.subarray(end + 4))
  socket.pipe(process.stdout)
  process.stdin.pipe(socket)
  socket.on('end', () => process.exit(0))
})
`

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
