import { readFileSync } from 'node:fs'

const source = new URL('../../apps/web/src/router.tsx', import.meta.url)
const routePattern =
  /const (\w+) = createRoute\(\{\s*(?:\.\.\.(in\w+)|getParentRoute: \(\) => (\w+)),\s*path: '([^']*)'/g
const sharedPattern = /const (in\w+) = \{ getParentRoute: \(\) => (\w+) \}/g

/**
 * The address of every screen, read from the router itself, so that a new one is looked at without being named anywhere
 * else. A route that this cannot read is an error and not a gap.
 */
export function listRoutes(): string[] {
  const text = readFileSync(source, 'utf8')
  const shared = new Map([...text.matchAll(sharedPattern)].map(([, name, parent]) => [name, parent]))
  const routes = new Map(
    [...text.matchAll(routePattern)].map(([, name, group, parent, path = '']) => [
      name,
      { parent: parent ?? shared.get(group), path },
    ]),
  )
  const written = text.match(/= createRoute\(/g)?.length ?? 0
  if (routes.size !== written) throw new Error(`${written} routes are written, ${routes.size} could be read.`)
  const addressOf = (name: string | undefined): string => {
    const route = routes.get(name)
    return route ? `${addressOf(route.parent)}/${route.path}`.replaceAll(/\/+/g, '/') : ''
  }
  const parents = new Set([...routes.values()].map(({ parent }) => parent))
  return [...routes.keys()].filter((name) => !parents.has(name)).map(addressOf)
}
