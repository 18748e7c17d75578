import { constants } from 'node:os'
import { assemble, type Instruction } from './program.ts'
import { examinedCalls, refusedCalls } from './refused-calls.ts'

export type FilterArch = 'x64' | 'arm64'

/** The kernel's names of the machine a call was made for; a 32-bit call on a 64-bit machine has another one. */
const auditArch = { x64: 0xc000003e, arm64: 0xc00000b7 } as const
/** On x64, calls of the x32 variant have this bit set. */
const x32Bit = 0x40000000

/** Offsets in what the kernel shows to the filter; of an argument, the lower half. */
const at = { number: 0, arch: 4, argument: (index: number) => 16 + 8 * index }

const allow = 0x7fff0000
const kill = 0x80000000
const fail = (errno: number) => 0x00050000 | errno

/** New namespaces of any kind: mount, cgroup, uts, ipc, user, pid, net, time. */
const namespaceFlags = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000 | 0x80
/** Puts characters into a terminal's input, as if they were typed. */
const terminalInjection = [0x5412, 0x541c]
/** What a session speaks: unix, IPv4, IPv6. */
const openFamilies = [1, 2, 10]
const netlink = 16
const netlinkRoute = 0

/** True where the filter exists for this machine; elsewhere there are no local sandboxes. */
export function isFilterArch(arch: string): arch is FilterArch {
  return arch === 'x64' || arch === 'arm64'
}

/**
 * Everything is allowed but a list. A process that calls for another architecture is ended; the rest of what is
 * refused fails with EPERM, so that a program can go on without it.
 */
export function buildFilter(arch: FilterArch): Buffer {
  return assemble([
    { do: 'load', offset: at.arch },
    { do: 'jump', when: 'equal', value: auditArch[arch], to: 'own machine' },
    { do: 'return', value: kill },
    { do: 'label', name: 'own machine' },
    { do: 'load', offset: at.number },
    ...(arch === 'x64' ? refuseX32() : []),
    ...Object.values(refusedCalls).flatMap((numbers) => refuse(numbers[arch])),
    ...examine(arch),
    { do: 'return', value: allow },
  ])
}

function refuseX32(): Instruction[] {
  return [
    { do: 'jump', when: 'at least', value: x32Bit, to: 'x32' },
    // Jumps reach 255 instructions only, and only forward.
    { do: 'jump', when: 'at least', value: 0, to: 'not x32' },
    { do: 'label', name: 'x32' },
    { do: 'return', value: kill },
    { do: 'label', name: 'not x32' },
  ]
}

function refuse(number: number | undefined): Instruction[] {
  if (number === undefined) return []
  return when(number, [{ do: 'return', value: fail(constants.errno.EPERM) }])
}

/** Runs the given part for one call only. The part must return. */
function when(number: number | undefined, part: readonly Instruction[]): Instruction[] {
  if (number === undefined) return []
  const [then, otherwise] = [`call ${number}`, `not call ${number}`]
  return [
    { do: 'jump', when: 'equal', value: number, to: then },
    { do: 'jump', when: 'at least', value: 0, to: otherwise },
    { do: 'label', name: then },
    ...part,
    { do: 'label', name: otherwise },
  ]
}

function examine(arch: FilterArch): Instruction[] {
  const refused = fail(constants.errno.EPERM)
  return [
    // Its flags lie in memory, which a filter cannot see. C libraries fall back to `clone`.
    ...when(examinedCalls.clone3[arch], [{ do: 'return', value: fail(constants.errno.ENOSYS) }]),
    ...when(examinedCalls.clone[arch], [
      { do: 'load', offset: at.argument(0) },
      { do: 'jump', when: 'any bit', value: namespaceFlags, to: 'clone refused' },
      { do: 'return', value: allow },
      { do: 'label', name: 'clone refused' },
      { do: 'return', value: refused },
    ]),
    ...when(examinedCalls.ioctl[arch], [
      { do: 'load', offset: at.argument(1) },
      ...terminalInjection.map((value) => jump(value, 'ioctl refused')),
      { do: 'return', value: allow },
      { do: 'label', name: 'ioctl refused' },
      { do: 'return', value: refused },
    ]),
    ...when(examinedCalls.personality[arch], [
      { do: 'load', offset: at.argument(0) },
      jump(0, 'personality allowed'),
      jump(0xffffffff, 'personality allowed'),
      { do: 'return', value: refused },
      { do: 'label', name: 'personality allowed' },
      { do: 'return', value: allow },
    ]),
    ...when(examinedCalls.socket[arch], [
      { do: 'load', offset: at.argument(0) },
      ...openFamilies.map((family) => jump(family, 'socket allowed')),
      jump(netlink, 'socket netlink'),
      { do: 'return', value: fail(constants.errno.EAFNOSUPPORT) },
      // Asking for the machine's own addresses; every other kind of netlink is refused.
      { do: 'label', name: 'socket netlink' },
      { do: 'load', offset: at.argument(2) },
      jump(netlinkRoute, 'socket allowed'),
      { do: 'return', value: fail(constants.errno.EAFNOSUPPORT) },
      { do: 'label', name: 'socket allowed' },
      { do: 'return', value: allow },
    ]),
  ]
}

const jump = (value: number, to: string): Instruction => ({ do: 'jump', when: 'equal', value, to })
