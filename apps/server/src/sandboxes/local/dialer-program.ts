/**
 * Run by Node in the network of a machine; asked for `{id, port}`, it answers `{id}` with the handle of a connection that
 * nobody has read from, or `{id, code}`. Programs that listen on IPv6 alone are found too.
 */
export const dialerProgram = `
const { connect } = require('node:net')
process.on('disconnect', () => process.exit())
process.on('message', ({ id, port }) => {
  const dial = (host, refused) => {
    const socket = connect({ host, port, noDelay: true }).pause()
    socket.once('error', refused)
    socket.once('connect', () => {
      socket.off('error', refused)
      socket.on('error', () => socket.destroy())
      process.send({ id }, socket._handle, () => socket.destroy())
    })
  }
  dial('127.0.0.1', ({ code }) => {
    if (code === 'ECONNREFUSED') dial('::1', () => process.send({ id, code }))
    else process.send({ id, code })
  })
})
process.send('ready')
`
