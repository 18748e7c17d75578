/** Something of the host that every machine sees, read-only. */
export interface MachineFile {
  readonly hostPath: string
  readonly machinePath: string
}
