/**
 * Ways around the daemon or out of the machine; nobody outside has business there. The daemon keeps a list of its own,
 * which holds in tunnels; this one holds before any connection is opened.
 */
const closedPorts: readonly number[] = [22, 3128, 4096, 4097, 4098]

export const isClosedPort = (port: number): boolean => closedPorts.includes(port)
