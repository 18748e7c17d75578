import { availableParallelism } from 'node:os'
import { createSlots } from '../kernel/slots.ts'

/** A few short git processes at once; the rest wait their turn. Streams do not count. */
export const processSlots = createSlots(Math.max(8, availableParallelism() * 4))
