export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Where an operation lives: `GET /v1/projects/:projectId`. A segment may carry a pattern: `:path{.+}`. */
export type Route = `${Method} /${string}`

type BareName<Segment extends string> = Segment extends `${infer Name}{${string}` ? Name : Segment

type NamesInPath<Path extends string> = Path extends `${infer Head}/${infer Rest}`
  ? NamesInPath<Head> | NamesInPath<Rest>
  : Path extends `:${infer Name}`
    ? BareName<Name>
    : never

/** The parameter names of a route, as a union. */
export type ParamNames<At extends string> = At extends `${Method} ${infer Path}` ? NamesInPath<Path> : never

export type Params<At extends string> = { readonly [Name in ParamNames<At>]: string }

export function splitRoute(at: Route): { method: Method; path: string } {
  const space = at.indexOf(' ')
  return { method: at.slice(0, space) as Method, path: at.slice(space + 1) }
}

/** A parameter with its pattern, if it has one; a pattern may hold braces of its own (`{[0-9a-f]{64}}`). */
const parameter = /:([A-Za-z0-9_]+)(?:\{(?:[^{}]|\{[^{}]*\})*\})?/g

export function listParamNames(path: string): string[] {
  return Array.from(path.matchAll(parameter), (match) => match[1] ?? '')
}

/** The path in OpenAPI's spelling: `/v1/projects/{projectId}`. */
export function toTemplatePath(path: string): string {
  return path.replace(parameter, '{$1}')
}
