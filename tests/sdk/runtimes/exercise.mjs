/**
 * What every runtime does with the client library: calls, a download, a refusal, a stream and helpers. Plain JavaScript
 * without imports, because one of the runtimes is a page and one an isolate.
 *
 * @param {any} Svc everything the root entry exports
 * @param {{ url: string, token: string, name: string }} input
 */
export async function exercise(Svc, { url, token, name }) {
  const svc = Svc.createSvc({ backendUrl: url, getToken: async () => token, clientSource: 'api' })
  const { valid } = await svc.validateToken()
  const { project_id: id } = await svc.projects.provision({ name })
  const project = svc.project(id)
  const { content } = await project.files.read('svc.yaml')
  const archive = await project.files.archive()
  const refusal = await svc.projects.get('00000000-0000-4000-8000-000000000000').catch((error) => error)
  const low = await Svc.backendApi.get('/projects/nothing/here')
  const aborted = await Svc.backendApi.get('/projects', { signal: AbortSignal.abort() })
  const frames = [
    'id: 1\ndata: {"seq":1,"type":"tick","prop',
    'erties":{"text":"ü😀"}}\n\n',
    'id: 2\ndata: {"seq":2,"type":"end"}\n\n',
  ]
  const events = await new Promise((resolve) => {
    const seen = []
    const stream = Svc.openEventStream({
      client: {
        numbered: true,
        connectEvents: async () => new Response(new Blob(frames).stream(), { status: 200 }),
      },
      onEvent(event) {
        seen.push(event.properties.text ?? event.type)
        if (event.type !== 'end') return
        stream.close()
        resolve(seen)
      },
    })
  })
  return {
    valid,
    manifest: content.includes('svc_version'),
    archive: archive instanceof Blob && archive.size > 100,
    refusal: [Svc.isApiError(refusal), refusal.status, refusal.name],
    low: [low.success, low.error.status],
    aborted: aborted.error.code,
    events,
    sessionId: /^[0-9a-f]{8}-[0-9a-f]{4}-4/.test(Svc.generateSessionId()),
    cost: Svc.formatCost(0.0032),
    part: Svc.classifyPart({ type: 'hologram', id: 'p' }).kind,
  }
}
