import type { PartHealth } from '../../../kernel/capability.ts'
import type { BuildInput, SandboxProvider } from '../../provider.ts'

/** A provider whose images are names in a set: what stands between a request and an engine can be watched on it. */
export interface PaperProvider extends SandboxProvider {
  readonly images: Set<string>
  readonly builds: BuildInput[]
  health: PartHealth
  /** What a build does before its image is there. */
  whileBuilding: (input: BuildInput, onLine: (line: string) => void, signal: AbortSignal) => Promise<void>
}

export function createPaperProvider(id: string, options: { images: boolean; baseImage?: string }): PaperProvider {
  const refuse = () => Promise.reject(new Error('a paper provider runs nothing'))
  const provider: PaperProvider = {
    id,
    capabilities: { images: options.images, pause: false, limits: false },
    ...(options.baseImage === undefined ? {} : { baseImage: options.baseImage }),
    images: new Set(),
    builds: [],
    health: { status: 'ok' },
    whileBuilding: async () => undefined,
    check: async () => provider.health,
    hasImage: async (name) => provider.images.has(name),
    removeImage: async (name) => provider.images.delete(name),
    async build(input, onLine, signal) {
      provider.builds.push(input)
      onLine(`building ${input.image ?? input.dockerfile?.path}`)
      await provider.whileBuilding(input, onLine, signal)
      provider.images.add(input.name)
      return input.name
    },
    create: refuse,
    start: refuse,
    connect: refuse,
    exec: refuse,
    pause: refuse,
    resume: refuse,
    stop: refuse,
    destroy: refuse,
    list: async () => [],
    stats: async () => undefined,
    close: async () => undefined,
  }
  return provider
}
