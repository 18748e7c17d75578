import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasSqlState, refusedData } from '../../kernel/database/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import type { OnStop } from '../../kernel/kernel.ts'
import type { Logger } from '../../kernel/log/index.ts'
import type { Budget } from '../resolve.ts'
import { type BudgetLeases, createBudgetLeases, type Reservation } from './budget-leases.ts'
import type { BegunCall } from './call-entry.ts'
import { type Journal, openJournal, readJournal, removeSegments } from './journal.ts'
import { releaseLeases } from './store/take-lease.ts'
import { type SettledCall, type Transact, warnOnce, writeCalls } from './store/write-calls.ts'

export interface Ledger {
  reserve: BudgetLeases['reserve']
  /** Before anything is forwarded: from here on the call has a row, whatever happens. */
  begin(call: BegunCall): Promise<void>
  /** Once for each call that began. */
  settle(call: BegunCall, reservation: Reservation | undefined): void
  /** Gives back what was reserved for a call that did not begin. */
  release(reservation: Reservation): void
  /** Why calls cannot be written down at the moment; they are refused then. */
  journalFailure: Journal['failure']
  /** Resolves when every call that was settled before is in the database. */
  written(): Promise<void>
  /** What processes before this one left in the journal, into the database. Before the port opens. */
  repair(): Promise<void>
}

/** Whoever reads here asks for what is waiting to be written first; only other servers see the delay. */
const writeDelayMs = 500
const retryDelayMs = 500
const maxBatch = 500

export interface LedgerOptions {
  readonly transact: Transact
  readonly dataDir: string
  readonly log: Logger
  readonly onStop: OnStop
}

export function createLedger({ transact, dataDir, log, onStop }: LedgerOptions): Ledger {
  const folder = join(dataDir, 'model-calls')
  const nodeId = readNodeId(folder)
  const left = readJournal(folder)
  const journal = openJournal(folder)
  const leases = createBudgetLeases(transact, nodeId)
  let waiting: SettledCall[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let stopped = false

  function plan(delayMs: number): void {
    timer ??= setTimeout(() => {
      timer = undefined
      void write()
    }, delayMs)
  }

  function write(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing ??= writeAll().finally(() => {
      writing = undefined
    })
    return writing
  }

  /** What waits now. What comes meanwhile waits its own time: under load every write would be a small one otherwise. */
  async function writeAll(): Promise<void> {
    for (let due = waiting.length; due > 0 || waiting.length >= maxBatch; ) {
      const batch = waiting.slice(0, maxBatch)
      if (!(await writeBatch(batch))) {
        if (!stopped) plan(retryDelayMs)
        return
      }
      due -= batch.length
      waiting = waiting.slice(batch.length)
      journal.forget(batch.map(({ entry }) => entry.call_id))
    }
    if (waiting.length > 0) plan(writeDelayMs)
  }

  async function written(): Promise<void> {
    const last = waiting.at(-1)
    await writing
    // One that was under way may have begun before the last call was settled.
    if (last && waiting.includes(last)) await write()
  }

  /** False when the database is away: the calls stay here and in the journal. */
  async function writeBatch(batch: readonly SettledCall[]): Promise<boolean> {
    try {
      const warnings = await writeCalls(transact, nodeId, batch)
      if (warnings.length > 0) {
        await warnOnce(transact, warnings)
        for (const warning of warnings) log.warn('a budget is nearly spent', { ...warning })
      }
      return true
    } catch (error) {
      if (!hasSqlState(error, refusedData)) {
        log.warn('calls of models wait for the database', { calls: waiting.length, error })
        return false
      }
      if (batch.length === 1) {
        log.error('a call of a model cannot be written', { call_id: batch[0]?.entry.call_id, error })
        return true
      }
      for (const call of batch) if (!(await writeBatch([call]))) return false
      return true
    }
  }

  onStop(async () => {
    stopped = true
    await written()
    clearTimeout(timer)
    if (waiting.length === 0) await leases.release()
    journal.close()
  })

  return {
    reserve: leases.reserve,
    begin: (call) => journal.begin(call),
    settle(call, reservation) {
      const settled = withText(call)
      journal.settle(settled, settled.text)
      if (reservation) leases.settle(reservation, call.entry.svc_micros + call.entry.provider_micros)
      waiting.push(settled)
      if (waiting.length === maxBatch) void write()
      else plan(writeDelayMs)
    },
    journalFailure: journal.failure,
    release: (reservation) => leases.settle(reservation, 0),
    written,
    async repair() {
      for (let at = 0; at < left.calls.length; at += maxBatch) {
        await writeCalls(transact, nodeId, left.calls.slice(at, at + maxBatch).map(withText))
      }
      await releaseLeases(transact, nodeId)
      removeSegments(left.paths)
      if (left.unsettled.size > 0) {
        log.warn('calls that were cut off count at what they had reserved', { calls: left.unsettled.size })
      }
    },
  }
}

function withText(call: BegunCall): SettledCall {
  return { ...call, text: JSON.stringify(call.entry) }
}

/** Budgets that can refuse a call. */
export function blocking(budgets: readonly Budget[]): Budget[] {
  return budgets.filter(({ action }) => action === 'block')
}

/** This data directory's own name among the nodes that share a database. */
function readNodeId(folder: string): string {
  const path = join(folder, 'node-id')
  if (existsSync(path)) return readFileSync(path, 'utf8').trim()
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const nodeId = newId()
  writeFileSync(path, nodeId, { mode: 0o600 })
  return nodeId
}
