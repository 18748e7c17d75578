import type { Kernel } from '../kernel/kernel.ts'
import type { CheckpointSigner } from './export/sign-checkpoint.ts'
import type { RequestRecorder } from './requests/record-requests.ts'
import type { Sealer } from './seal/sealer.ts'

/** What reading the log stands on. */
export interface AuditParts {
  readonly kernel: Kernel
  readonly requests: RequestRecorder
  readonly sealer: Sealer
  readonly signer: CheckpointSigner
}

/** A reader sees every event that was emitted on this node before its read, each with its place in the chain. */
export async function settleChain({ requests, sealer }: AuditParts, chainId: string): Promise<void> {
  await requests.flush()
  await sealer.sealChain(chainId)
}
