import type { operations } from '@svc/contract'
import type { Tx } from '../../kernel/database/index.ts'
import { type Call, invalid, problem } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import { defaultResources, defaultSlug } from './definition.ts'
import type { Parts } from './parts.ts'
import { readDefinitions } from './read-definitions.ts'
import { type BuildJob, requestBuild, targetsOf } from './request-build.ts'
import {
  addTemplateRow,
  changeTemplateRow,
  countTemplateRows,
  findTemplateRow,
  listTemplateRows,
  removeTemplateRow,
  type TemplateRow,
} from './store/templates.ts'
import { readChoice } from './survey.ts'

type Ops = typeof operations.sandboxes

const maxTemplates = 50

export async function createTemplate(parts: Parts, job: BuildJob, call: Call<Ops['createTemplate']>) {
  const { projectId, accountId, body, actor, principal } = call
  await refuseTaken(parts, projectId, body.slug, undefined)
  const { db } = parts.kernel.database
  if ((await countTemplateRows(db, projectId)) >= maxTemplates) throw problem('template_limit_reached')
  const row = await parts.kernel.database.transact(actor, async (tx) => {
    const added = await addTemplateRow(tx.db, {
      templateId: newId(),
      accountId,
      projectId,
      slug: body.slug,
      name: body.name ?? null,
      image: body.image ?? null,
      dockerfilePath: body.dockerfile_path ?? null,
      entrypoint: body.entrypoint ?? null,
      cpu: body.cpu ?? defaultResources.cpu,
      memoryGb: body.memory_gb ?? defaultResources.memoryGb,
      diskGb: body.disk_gb ?? defaultResources.diskGb,
      createdBy: principal.id,
    })
    if (!added) throw problem('template_slug_taken')
    await auditChange(tx, added, 'sandbox_template.create')
    return added
  })
  await buildTemplate(parts, job, call, row.slug)
  return { template_id: row.templateId, slug: row.slug }
}

export async function updateTemplate(parts: Parts, job: BuildJob, call: Call<Ops['updateTemplate']>) {
  const { projectId, params, body, actor } = call
  const row = await requireRow(parts, projectId, params.templateId)
  if (body.slug !== undefined && body.slug !== row.slug) await refuseTaken(parts, projectId, body.slug, row.templateId)
  const kept = <T>(given: T | null | undefined, old: T | null) => (given === undefined ? old : given)
  const image = kept(body.image, row.image)
  const dockerfilePath = kept(body.dockerfile_path, row.dockerfilePath)
  if ((image === null) === (dockerfilePath === null)) {
    throw invalid([{ path: 'image', message: 'exactly one of image and dockerfile_path must remain; null clears one' }])
  }
  const changed = await parts.kernel.database.transact(actor, async (tx) => {
    const updated = await changeTemplateRow(tx.db, row.templateId, {
      slug: body.slug ?? row.slug,
      name: kept(body.name, row.name),
      image,
      dockerfilePath,
      entrypoint: kept(body.entrypoint, row.entrypoint),
      cpu: kept(body.cpu, row.cpu) ?? defaultResources.cpu,
      memoryGb: kept(body.memory_gb, row.memoryGb) ?? defaultResources.memoryGb,
      diskGb: kept(body.disk_gb, row.diskGb) ?? defaultResources.diskGb,
    })
    if (!updated) throw problem('not_found')
    await auditChange(tx, updated, 'sandbox_template.update')
    return updated
  })
  const providers = await buildTemplate(parts, job, call, changed.slug)
  return { template_id: changed.templateId, slug: changed.slug, build_status: 'started' as const, providers }
}

export async function removeTemplate(parts: Parts, call: Call<Ops['removeTemplate']>): Promise<undefined> {
  const { projectId, params, actor } = call
  const row = await requireRow(parts, projectId, params.templateId)
  const { usedByManifest } = await readDefinitions(parts, projectId)
  if (usedByManifest.has(row.slug)) throw problem('shared_template')
  await parts.kernel.database.transact(actor, async (tx) => {
    if (!(await removeTemplateRow(tx.db, projectId, row.templateId))) throw problem('not_found')
    await auditChange(tx, row, 'sandbox_template.remove')
  })
}

export async function requireRow(parts: Parts, projectId: string, templateId: string): Promise<TemplateRow> {
  const row = await findTemplateRow(parts.kernel.database.db, projectId, templateId)
  if (!row) throw problem('not_found')
  return row
}

/** Builds with whoever can; a template that nobody can build yet is kept and built when somebody can. */
export async function buildTemplate(
  parts: Parts,
  job: BuildJob,
  { projectId, accountId, actor }: Pick<Call, 'projectId' | 'accountId' | 'actor'>,
  slug: string,
): Promise<string[]> {
  const [{ templates, commit }, choice] = await Promise.all([
    readDefinitions(parts, projectId),
    readChoice(parts, projectId),
  ])
  const definition = templates.find((one) => one.slug === slug)
  const targets = definition ? targetsOf(parts, choice, definition) : []
  if (!definition || targets.length === 0) return []
  await parts.kernel.database.transact(actor, async (tx) => {
    for (const provider of targets) {
      await requestBuild(tx, job, provider, { projectId, accountId, definition, commit, source: 'manual' })
    }
  })
  return targets.map(({ id }) => id)
}

/** A slug names one template, whether the platform, the manifest or somebody here declares it. */
async function refuseTaken(parts: Parts, projectId: string, slug: string, own: string | undefined): Promise<void> {
  const rows = await listTemplateRows(parts.kernel.database.db, projectId)
  const { templates } = await readDefinitions(parts, projectId)
  const isTaken =
    slug === defaultSlug ||
    rows.some((row) => row.slug === slug && row.templateId !== own) ||
    templates.some((one) => one.slug === slug && one.source !== 'ui')
  if (isTaken) throw problem('template_slug_taken')
}

async function auditChange(tx: Tx, row: TemplateRow, action: string): Promise<void> {
  await tx.audit({
    action,
    accountId: row.accountId,
    projectId: row.projectId,
    resourceType: 'sandbox_template',
    resourceId: row.templateId,
    metadata: { slug: row.slug, image: row.image, dockerfile_path: row.dockerfilePath },
  })
}
