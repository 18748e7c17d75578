/** Something of the host that every machine sees, read-only. */
export interface MachineFile {
  readonly hostPath: string
  readonly machinePath: string
  /** A folder that a rebuild or an upgrade writes to: machines get a copy of it. */
  readonly isBuiltInPlace?: boolean
}
