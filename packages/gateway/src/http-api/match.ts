// Finds the route of a path in a table of routes, such as the console's.
import { decodeSegment } from '../request/path-segment.ts'

type ApiRoute = { method: string; path: string }
export type Matched<Route> = { route: Route; parameters: Record<string, string> }
/** `allow`: the methods of the path; empty if nothing is there. */
export type Unmatched = { allow: string[] }

export function matchApiRoute<Route extends ApiRoute>(
  routes: readonly Route[],
): (method: string, path: string) => Matched<Route> | Unmatched {
  // Fixed segments come before parameters: `requests/{id}` must not hide a path such as `requests/export`.
  const byPath = [...Map.groupBy(routes, ({ path }) => path)]
    .map(([path, each]) => ({ segments: path.split('/'), routes: each }))
    .sort((one, other) => rank(one.segments) - rank(other.segments))
  return (method, path) => {
    const written = path.split('/')
    for (const { segments, routes } of byPath) {
      const parameters = parametersOf(segments, written)
      if (parameters === undefined) continue
      const wanted = method === 'HEAD' ? 'GET' : method
      const route = routes.find((each) => each.method === wanted)
      return route ? { route, parameters } : { allow: routes.map((each) => each.method) }
    }
    return { allow: [] }
  }
}

const isRest = (segment: string): boolean => segment.endsWith('...}')
const rank = (segments: readonly string[]): number =>
  segments.reduce((sum, segment) => sum + (isRest(segment) ? 100 : segment.startsWith('{') ? 1 : 0), 0)

/** undefined: another path. What remains for `{name...}` stays percent-encoded. */
function parametersOf(segments: readonly string[], written: readonly string[]): Record<string, string> | undefined {
  const hasRest = isRest(segments.at(-1) ?? '')
  if (hasRest ? written.length < segments.length : written.length !== segments.length) return undefined
  const parameters: Record<string, string> = {}
  for (const [index, segment] of segments.entries()) {
    const text = written[index] ?? ''
    const name = /^\{(\w+)(?:\.\.\.)?\}$/.exec(segment)?.[1]
    if (name === undefined) {
      if (text !== segment) return undefined
    } else if (isRest(segment)) parameters[name] = written.slice(index).join('/')
    else {
      const decoded = decodeSegment(text)
      if (decoded === undefined || decoded === '') return undefined
      parameters[name] = decoded
    }
  }
  return parameters
}
