/** Far more machines than are asked for at a time. */
const maxKept = 10_000

/**
 * The project of each machine that has one. It never changes while the machine is there, and its name is never used
 * again, so it is asked for once: every request into a machine begins with this question.
 */
export function rememberProjects(find: (externalId: string) => Promise<string | undefined>) {
  const known = new Map<string, string>()
  return async (externalId: string): Promise<string | undefined> => {
    const kept = known.get(externalId)
    if (kept !== undefined) return kept
    const projectId = await find(externalId)
    if (projectId === undefined) return undefined
    if (known.size >= maxKept) known.clear()
    known.set(externalId, projectId)
    return projectId
  }
}
