import { createHash } from 'node:crypto'
import type { SandboxProvider } from '../provider.ts'

export const defaultSlug = 'default'
export const defaultResources = { cpu: 2, memoryGb: 4, diskGb: 20 } as const

/** A template, wherever it is declared. */
export interface Definition {
  readonly templateId: string | null
  readonly slug: string
  readonly name: string
  readonly source: 'platform' | 'toml' | 'ui'
  readonly image: string | null
  readonly dockerfilePath: string | null
  readonly entrypoint: string | null
  readonly cpu: number
  readonly memoryGb: number
  readonly diskGb: number
  /** Changes exactly when the image would be another one. */
  readonly fingerprint: string
}

export const platformTemplate: Definition = {
  templateId: null,
  slug: defaultSlug,
  name: 'Default',
  source: 'platform',
  image: null,
  dockerfilePath: null,
  entrypoint: null,
  ...defaultResources,
  fingerprint: 'platform',
}

export interface ImageIdentity {
  readonly contentHash: string
  readonly snapshotName: string
}

/**
 * The name of the image a template has with a provider, made from what it is built from: the same definition always
 * has the same image, a changed one never an old one. Projects share no image but the platform's own.
 */
export function identifyImage(
  projectId: string,
  { source, fingerprint }: Definition,
  { id, baseImage }: Pick<SandboxProvider, 'id' | 'baseImage'>,
): ImageIdentity {
  const parts = source === 'platform' ? [fingerprint, baseImage ?? `host of ${id}`] : [projectId, fingerprint]
  const contentHash = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  return { contentHash, snapshotName: `svc-sandbox-${contentHash.slice(0, 24)}` }
}

/** Whether the provider can run it at all. */
export function canRun({ source }: Definition, { capabilities }: Pick<SandboxProvider, 'capabilities'>): boolean {
  return source === 'platform' || capabilities.images
}

/** The platform's template of a provider that runs on the host's own files has nothing to build. */
export function needsImage({ source }: Definition, { baseImage }: Pick<SandboxProvider, 'baseImage'>): boolean {
  return source !== 'platform' || baseImage !== undefined
}

export function fingerprintOf(input: {
  image: string | null
  dockerfile: { text: string; commit: string } | null
}): string {
  if (input.image !== null) return `image ${input.image}`
  if (!input.dockerfile) return 'missing dockerfile'
  const { text, commit } = input.dockerfile
  return `dockerfile ${text} context ${readsContext(text) ? commit : ''}`
}

/** Whether it copies anything out of the repository. Copies between its own stages do not count. */
export function readsContext(dockerfile: string): boolean {
  return (
    dockerfile
      .replaceAll(/\\\r?\n/g, ' ')
      .split('\n')
      .some((line) => /^\s*(?:COPY|ADD)\s/i.test(line) && !/\s--from=/i.test(line)) ||
    /--mount=[^\s]*type=bind/i.test(dockerfile)
  )
}
