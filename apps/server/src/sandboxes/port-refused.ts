/** Nothing listens there: the machine is well, the program is not. */
export class PortRefused extends Error {
  readonly code = 'port_refused'

  constructor(port: number, reason: string) {
    super(`nothing answers on port ${port} of the machine (${reason})`)
  }
}
