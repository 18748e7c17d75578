import type { ResolvedAgent } from '@svc/manifest'
import { readBranch } from '../../git/index.ts'
import { settleAll } from '../../kernel/settle-all.ts'
import { type CompiledConfig, describeSecrets } from '../../runtimes/index.ts'
import type { BootConfig } from '../../sandboxes/index.ts'
import { qualify } from '../create/choose-model.ts'
import { findGrantingAgent } from '../create/granting-agent.ts'
import { type Plan, readPlan } from '../create/read-plan.ts'
import type { Parts } from '../parts.ts'
import type { SessionRow } from '../store/sessions.ts'
import { BootFailure } from './boot-failure.ts'
import { type DeliveredSecrets, readDeliveredSecrets } from './delivered-secrets.ts'
import { digest } from './digest.ts'

/** The platform's API as a machine reaches it. */
const apiUrl = 'http://127.0.0.1:4098/v1'
const gatewayUrl = `${apiUrl}/llm`
/** A process gets no variable longer than this. */
const maxVariableBytes = 96 * 1024

export interface BootPlan {
  readonly plan: Plan
  readonly agent: ResolvedAgent
  readonly compiled: CompiledConfig | undefined
  readonly secrets: DeliveredSecrets
  /** Where the workspace starts: the session's branch when it was published, else its base. */
  readonly workspace: { readonly repositoryPath: string; readonly commit: string; readonly branch: string } | undefined
}

/** Everything a boot needs to know, read anew each time: manifest, agent, configuration, secrets. */
export async function planBoot(parts: Parts, row: SessionRow): Promise<BootPlan> {
  const plan = await readPlan(parts, row.projectId, row.baseRef)
  const agent = await findGrantingAgent(parts, row, plan)
  if (!agent) {
    throw new BootFailure('sandbox-provider', `The manifest no longer declares an enabled agent ${row.agentName}.`)
  }
  const [compiled, secrets, workspace] = await settleAll([
    compile(parts, plan, row),
    readDeliveredSecrets(parts, row, agent),
    chooseWorkspace(parts, plan, row),
  ])
  return { plan, agent, compiled, secrets, workspace }
}

/** A failure leaves an agent with a repository to the repository's own files; one without has nothing else to go by. */
export async function compile(
  { runtimes, kernel }: Parts,
  { repository, baseSha, manifest }: Plan,
  row: Pick<SessionRow, 'agentName' | 'repositoryAccess' | 'sessionId'>,
): Promise<CompiledConfig | undefined> {
  const { agentName, repositoryAccess } = row
  const input = { git: repository.git, commit: baseSha, manifest, agentName, onlyAgent: !repositoryAccess }
  try {
    return await runtimes.compileAgents(input)
  } catch (error) {
    if (!repositoryAccess) {
      throw new BootFailure('sandbox-provider', error instanceof Error ? error.message : 'The agent does not compile.')
    }
    kernel.log.warn('agents could not be compiled', { session_id: row.sessionId, error })
    return undefined
  }
}

async function chooseWorkspace({ repositories }: Parts, { repository, baseSha }: Plan, row: SessionRow) {
  if (!row.repositoryAccess) return undefined
  const published = await readBranch(repository.git, row.branchName)
  const commit = published ?? row.baseSha ?? baseSha
  return { repositoryPath: repositories.pathOf(row.projectId), commit, branch: row.branchName }
}

export async function writeBoot(
  parts: Parts,
  row: SessionRow,
  { plan, agent, compiled, secrets }: BootPlan,
  token: string,
): Promise<Omit<BootConfig, 'serviceKey'>> {
  const models = await parts.models.listModels(row.projectId)
  const model = row.model ?? qualify(models[0]?.id ?? '')
  const runtime = parts.runtimes.runtimeFor(row.runtime).prepare({
    agentName: row.agentName,
    compiled,
    model,
    gatewayUrl,
    models,
    skillsPath: parts.runtimes.skillsPath,
    asksQuestions: true,
    configDir: plan.resolved.configDir,
    hasRepository: row.repositoryAccess,
    secretInstructions: describeSecrets(secrets.capabilities),
    meetsOwnCertificates: secrets.capabilities.some(({ delivery }) => delivery === 'network'),
  })
  const repository = row.repositoryAccess
    ? {
        url: `${apiUrl}/git/${row.projectId}.git`,
        branch: row.branchName,
        baseRef: row.baseRef,
        authorName: agent.name,
        authorEmail: `${agent.name}@agents.noreply.svc`,
      }
    : undefined
  return {
    runtime: runtime.process,
    files: runtime.files,
    repository,
    env: {
      ...secrets.env,
      ...describeEnvironment(parts, row, { plan, compiled, secrets, model }),
      SVC_TOKEN: token,
    },
  }
}

function describeEnvironment(
  { publicUrl }: Parts,
  row: SessionRow,
  { plan, compiled, secrets, model }: Pick<BootPlan, 'plan' | 'compiled' | 'secrets'> & { model: string },
): Record<string, string> {
  const config = compiled ? JSON.stringify(compiled.config) : undefined
  return {
    SVC_API_URL: apiUrl,
    SVC_FRONTEND_URL: publicUrl(),
    SVC_PROJECT_ID: row.projectId,
    SVC_SESSION_ID: row.sessionId,
    SVC_PROJECT_AUTO_CLONE: row.repositoryAccess ? '1' : '0',
    SVC_SERVICE_PORT: '8000',
    SVC_LLM_BASE_URL: gatewayUrl,
    SVC_OPENCODE_MODEL: model,
    SVC_CONFIG_DIR: plan.resolved.configDir,
    ...scopeVariables(row.agentName, secrets),
    ...(row.runtimeContext === null ? {} : { SVC_SESSION_CONTEXT: JSON.stringify(row.runtimeContext) }),
    ...(compiled ? { SVC_COMPILED_AGENT_CONFIG_ETAG: compiled.etag } : {}),
    ...(config !== undefined && Buffer.byteLength(config) <= maxVariableBytes
      ? { SVC_COMPILED_AGENT_CONFIG: config }
      : {}),
    ...(row.repositoryAccess
      ? {
          SVC_REPO_URL: `${apiUrl}/git/${row.projectId}.git`,
          SVC_DEFAULT_BRANCH: plan.repository.defaultBranch,
          SVC_BASE_REF: row.baseRef,
          SVC_BRANCH_NAME: row.branchName,
        }
      : {}),
  }
}

/** What changes with the agent that works and the secrets it has. */
export function scopeVariables(agentName: string, secrets: DeliveredSecrets): Record<string, string> {
  return {
    SVC_AGENT_NAME: agentName,
    SVC_PROJECT_SECRET_NAMES: Object.keys(secrets.env).sort().join(','),
    SVC_PROJECT_SECRETS_REVISION: digest(JSON.stringify(secrets.env)),
    SVC_SECRET_CAPABILITIES: describeCapabilities(secrets),
  }
}

const maxCapabilitiesBytes = 48 * 1024

/** Cut from the end when it would not fit, and says so. */
export function describeCapabilities({ capabilities }: DeliveredSecrets): string {
  for (let shown = capabilities.length; ; shown = Math.floor(shown * 0.8)) {
    const isCut = shown < capabilities.length
    const text = JSON.stringify({
      version: 1,
      capabilities: capabilities.slice(0, shown),
      ...(isCut ? { truncated: true, total: capabilities.length } : {}),
    })
    if (Buffer.byteLength(text) <= maxCapabilitiesBytes || shown === 0) return text
  }
}
