/** One instruction of the kernel's packet filter machine, with its jumps named. */
export type Instruction =
  | { readonly do: 'load'; readonly offset: number }
  | { readonly do: 'mask'; readonly bits: number }
  | { readonly do: 'return'; readonly value: number }
  | { readonly do: 'label'; readonly name: string }
  /** Falls through when it does not hold. */
  | {
      readonly do: 'jump'
      readonly when: 'equal' | 'at least' | 'any bit'
      readonly value: number
      readonly to: string
    }

const codes = { load: 0x20, mask: 0x54, return: 0x06, equal: 0x15, 'at least': 0x35, 'any bit': 0x45 } as const

/** The bytes as the kernel takes them: 8 per instruction, in the order of a little-endian machine. */
export function assemble(program: readonly Instruction[]): Buffer {
  const labels = new Map<string, number>()
  const steps: Exclude<Instruction, { do: 'label' }>[] = []
  for (const instruction of program) {
    if (instruction.do === 'label') labels.set(instruction.name, steps.length)
    else steps.push(instruction)
  }
  const bytes = Buffer.alloc(steps.length * 8)
  steps.forEach((step, index) => {
    const at = index * 8
    if (step.do === 'jump') {
      const target = labels.get(step.to)
      const distance = target === undefined ? -1 : target - index - 1
      if (distance < 0 || distance > 255) throw new Error(`the filter cannot jump to ${step.to}`)
      bytes.writeUInt16LE(codes[step.when], at)
      bytes.writeUInt8(distance, at + 2)
      bytes.writeUInt32LE(step.value >>> 0, at + 4)
      return
    }
    bytes.writeUInt16LE(codes[step.do], at)
    bytes.writeUInt32LE((step.do === 'load' ? step.offset : step.do === 'mask' ? step.bits : step.value) >>> 0, at + 4)
  })
  return bytes
}
