import type { RunningMachine } from './running-machine.ts'

/** Why a machine ended that nobody asked to end: a sentence for people. */
export async function describeEnd({ child, group, output, spec }: RunningMachine): Promise<string> {
  const met = await group?.readLimitsMet()
  if (met !== undefined && met.memory > 0 && child.exitCode !== 0) {
    return `The machine used up its ${spec.resources.memoryGb} GB of memory and ended.`
  }
  const said = output().split('\n').slice(-5).join('\n')
  const how = child.signalCode ? `was ended by ${child.signalCode}` : `ended with code ${child.exitCode}`
  return said === '' ? `The machine ${how}.` : `The machine ${how}: ${said}`
}
