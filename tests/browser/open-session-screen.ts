import { join } from 'node:path'
import type { SessionHandle } from '@svc/sdk'
import { commitFiles, openRepository, readFile, resolveRef } from '../../apps/server/src/git/index.ts'
import { startTestPlatform } from '../support/platform.ts'
import { createClient, openFirstRun, script, signIn } from './claim-instance.ts'
import { findBrowser, openBrowser } from './open-browser.ts'

/** A platform with one project and one session, whose agent asks before it runs a command, and a page signed in to it. */
export async function openSessionScreen(patientMs: number) {
  const platform = await startTestPlatform()
  const browser = await openBrowser(findBrowser() ?? '')
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
  // Less than a test has, so that a test that hangs says where.
  context.setDefaultTimeout(patientMs / 2)
  /** The canaries: a script that ran, a page that broke its policy, something fetched from or sent to the stranger. */
  const broken: string[] = []
  context.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) broken.push(message.text())
  })
  context.on('weberror', (error) => broken.push(error.error().message))
  context.on('dialog', (dialog) => {
    broken.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  context.on('request', (request) => {
    if (/evil\.example/.test(request.url())) broken.push(request.url())
  })
  const page = await context.newPage()
  await openFirstRun(page, platform)
  await signIn(page)
  const { svc, tokens } = createClient(page, platform.url)
  const { project_id: projectId } = await svc.projects.provision({ name: 'Screen' })
  await declareAgent(join(platform.dataDir, 'repositories', `${projectId}.git`))
  const text = script(
    'say I begin.',
    String.raw`run printf '\033[32mgreen\033[0m\n'`,
    'ask Which colour? | Red | Green',
    'finish Done **all**.',
  )
  const made = await svc.project(projectId).sessions.create({ agent_name: 'careful', pending_prompt: { text } })
  const session = svc.session(projectId, made.session_id ?? '')
  const addressOf = (sessionId: string) => `${platform.url}/projects/${projectId}/sessions/${sessionId}`
  /** Another one, of the project's own agent; where it is. */
  const startSession = async (prompt: string) => {
    const other = await svc.project(projectId).sessions.create({ pending_prompt: { text: prompt } })
    return addressOf(other.session_id ?? '')
  }
  const stop = async () => {
    await browser.close()
    await platform.stop()
  }
  const address = addressOf(session.sessionId)
  return { platform, context, page, projectId, session, address, startSession, broken, tokens, stop }
}

/** The end of the first turn that began after a place in the log, told by the platform itself, whatever becomes of the page. */
export async function waitForTurn(session: SessionHandle, after: number): Promise<void> {
  const stop = new AbortController()
  let hasBegun = false
  await new Promise<void>((resolve) => {
    const onEvent = ({ type }: { readonly type: string }) => {
      if (type === 'turn.started') hasBegun = true
      if (type === 'turn.ended' && hasBegun) resolve()
    }
    session.stream({ after, signal: stop.signal, onEvent })
  })
  stop.abort()
}

/** An agent that asks before it runs a command. */
async function declareAgent(folder: string): Promise<void> {
  const repository = openRepository(folder)
  const tip = await resolveRef(repository, 'main')
  const { text } = await readFile(repository, { ref: tip, path: 'svc.yaml' })
  const manifest = `${text ?? ''}`.replace('\nagents:\n', '\nagents:\n  careful:\n    skills: all\n')
  const agent = '---\ndescription: Asks first\nmode: primary\npermission:\n  bash: ask\n---\n\nYou ask first.\n'
  const changes = [
    { path: 'svc.yaml', content: manifest },
    { path: '.svc/opencode/agents/careful.md', content: agent },
  ]
  const author = { name: 'Test', email: 'test@example.com' }
  await commitFiles(repository, { branch: 'main', expectedParent: tip, changes, message: 'An agent', author })
}
