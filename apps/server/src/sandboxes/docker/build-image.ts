import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import type { BuildInput } from '../provider.ts'
import { BuildError, classifyMessage } from '../templates/build-error.ts'
import { type Engine, isEngineError, isRecord } from './engine.ts'
import { readJsonLines } from './json-lines.ts'

export type OnLine = (line: string) => void

export interface ImageBuild {
  readonly engine: Engine
  readonly onLine: OnLine
  readonly signal: AbortSignal
  /** What RUN steps may reach: nothing, or what the engine's own containers may. */
  readonly network: 'none' | 'default'
  readonly isPodman: boolean
}

/** Makes the image under its name, from an image or a Dockerfile. */
export async function buildImage(build: ImageBuild, { name, image, dockerfile, anew }: BuildInput): Promise<void> {
  if (dockerfile) return buildDockerfile(build, name, dockerfile, anew)
  if (image === undefined) throw new BuildError('unknown', 'The template names neither an image nor a Dockerfile.')
  await fetchImage(build, image, anew)
  await tagImage(build.engine, image, name)
}

export async function hasImage(engine: Engine, name: string): Promise<boolean> {
  try {
    await engine.ask(`/images/${encodeName(name)}/json`)
    return true
  } catch (error) {
    if (isEngineError(error, 404)) return false
    throw error
  }
}

/** Only the name when machines still use it. */
export async function removeImage(engine: Engine, name: string): Promise<boolean> {
  try {
    await engine.ask(`/images/${encodeName(name)}`, { method: 'DELETE' })
    return true
  } catch (error) {
    if (isEngineError(error, 404, 409)) return false
    throw error
  }
}

/** One that is here is used as it is, unless everything is to be made anew; one that cannot be fetched may be here. */
async function fetchImage({ engine, onLine, signal }: ImageBuild, image: string, anew: boolean): Promise<void> {
  const isHere = await hasImage(engine, image)
  if (isHere && !anew) return onLine(`${image} is here already`)
  try {
    const { repository, tag } = splitName(image)
    onLine(`fetching ${image}`)
    const query = { fromImage: repository, tag }
    await follow(await engine.stream('/images/create', { method: 'POST', query, signal }), onLine)
  } catch (error) {
    signal.throwIfAborted()
    if (!isHere) throw toBuildError(error)
    onLine(`${image} could not be fetched; the one that is here is used`)
  }
}

async function buildDockerfile(
  { engine, onLine, signal, network, isPodman }: ImageBuild,
  name: string,
  { path, contextTarPath }: NonNullable<BuildInput['dockerfile']>,
  anew: boolean,
): Promise<void> {
  const query = {
    t: `${name}:latest`,
    dockerfile: path,
    rm: '1',
    forcerm: '1',
    nocache: anew ? '1' : '0',
    ...(isPodman ? podmanNetwork(network) : { networkmode: network }),
  }
  const upload = { type: 'application/x-tar', stream: createReadStream(contextTarPath) }
  try {
    await follow(await engine.stream('/build', { method: 'POST', query, upload, signal }), onLine)
  } catch (error) {
    signal.throwIfAborted()
    throw explainBuild(toBuildError(error), network)
  }
}

/** Never the host's own network, in which everything that listens on this machine could be reached. */
function podmanNetwork(network: 'none' | 'default') {
  return {
    networkmode: network === 'none' ? 'NetworkDisabled' : 'NetworkEnabled',
    nsoptions: JSON.stringify([{ Name: 'network', Host: false, Path: '' }]),
  }
}

/** Every line of the report; throws what it reports as an error. */
async function follow(stream: Readable, onLine: OnLine): Promise<void> {
  for await (const report of readJsonLines(stream)) {
    const detail = isRecord(report.errorDetail) ? report.errorDetail.message : undefined
    const error = report.error ?? detail
    if (typeof error === 'string') throw new Error(error)
    const line = report.stream ?? report.status
    // Bars of progress come many times a second and say nothing afterwards.
    if (typeof line === 'string' && !isRecord(report.progressDetail))
      for (const part of line.trimEnd().split('\n')) onLine(part)
  }
}

async function tagImage(engine: Engine, image: string, name: string): Promise<void> {
  await engine.ask(`/images/${encodeName(image)}/tag`, { method: 'POST', query: { repo: name, tag: 'latest' } })
}

function toBuildError(error: unknown): BuildError {
  if (BuildError.isInstance(error)) return error
  const message = error instanceof Error ? error.message : String(error)
  return new BuildError(classifyMessage(message), message, { cause: error })
}

function explainBuild(error: BuildError, network: 'none' | 'default'): BuildError {
  if (network !== 'none' || (error.category !== 'layer' && error.category !== 'tunnel')) return error
  const hint = 'Builds have no network here unless the operator sets SVC_DOCKER_BUILD_NETWORK=default.'
  return new BuildError(error.category, `${error.message} (${hint})`, { cause: error })
}

function splitName(image: string): { repository: string; tag: string } {
  const digest = image.indexOf('@')
  if (digest > 0) return { repository: image.slice(0, digest), tag: image.slice(digest + 1) }
  const colon = image.lastIndexOf(':')
  if (colon > image.lastIndexOf('/')) return { repository: image.slice(0, colon), tag: image.slice(colon + 1) }
  return { repository: image, tag: 'latest' }
}

/** Slashes are part of the path; everything else that could lead elsewhere is not. */
function encodeName(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/')
}
