// What is found elsewhere need not be possible here: the configuration is validated as a whole, and what is in the way is left out and named.
import { assemble } from '../config/assemble.ts'
import type { StoredEntry } from '../config/stored.ts'
import type { BuiltIn } from '../config/upstream-kinds.ts'
import type { Findings } from './findings.ts'
import type { FoundConfiguration, FoundEntry } from './installation.ts'

/** In the order in which they refer to each other. */
const KINDS = { upstream: 'upstreams', model: 'models', group: 'groups' } as const
type Kind = keyof typeof KINDS
const NAMES = Object.keys(KINDS) as readonly Kind[]
/** What a route changes in requests. */
const EDITS: readonly string[] = ['set', 'default', 'drop', 'headers', 'system']

export const EDITS_LEFT_OUT = 'What its routes change in requests is not possible here, and left out:'
export const LEFT_OUT = 'It is left out:'

export function validConfiguration(
  found: FoundConfiguration,
  builtIn: BuiltIn,
  findings: Findings,
): FoundConfiguration {
  const invalid = invalidIn(found, builtIn)
  // What is wrong with the others may be that these are wrong.
  const kind = NAMES.find((each) => found[KINDS[each]].some(({ id }) => invalid.has(`${each} ${id}`)))
  if (kind === undefined) return found
  const entries = found[KINDS[kind]].flatMap((entry): FoundEntry[] => {
    const why = invalid.get(`${kind} ${entry.id}`)
    if (why === undefined) return [entry]
    const plain = withoutEdits(entry)
    findings.add(entry.from, 'manual', `${plain ? EDITS_LEFT_OUT : LEFT_OUT} ${why}`, entry.id)
    return plain ? [plain] : []
  })
  return validConfiguration(withoutLost({ ...found, [KINDS[kind]]: entries }), builtIn, findings)
}

/** Why, by `KIND ID`. */
function invalidIn(entries: FoundConfiguration, builtIn: BuiltIn): ReadonlyMap<string, string> {
  const stored = NAMES.flatMap((kind) =>
    entries[KINDS[kind]].map(({ id, value }): StoredEntry => ({ kind, id, value, revision: 1 })),
  )
  const result = assemble({ source: '{}', file: '', env: {}, stored }, builtIn)
  const all = stored.map((entry) => ({ entry, mistakes: result.mistakes }))
  const messages = (mistakes: readonly { message: string }[]) => mistakes.map(({ message }) => message).join('; ')
  return new Map(
    (result.config ? result.invalid : all).map(({ entry, mistakes }) => [
      `${entry.kind} ${entry.id}`,
      messages(mistakes),
    ]),
  )
}

type Route = Readonly<Record<string, unknown>>
const routesOf = ({ value }: FoundEntry): readonly Route[] => (Array.isArray(value.routes) ? value.routes : [])

function withoutEdits(entry: FoundEntry): FoundEntry | undefined {
  const routes = routesOf(entry)
  if (!routes.some((route) => EDITS.some((name) => name in route))) return undefined
  const plain = (route: Route) => Object.fromEntries(Object.entries(route).filter(([name]) => !EDITS.includes(name)))
  return { ...entry, value: { ...entry.value, routes: routes.map(plain) } }
}

/** Routes, models and groups whose entries are gone go with them. */
function withoutLost(found: FoundConfiguration): FoundConfiguration {
  const upstreams = new Set<unknown>(found.upstreams.map(({ id }) => id))
  const models = found.models.flatMap((entry): FoundEntry[] => {
    const routes = routesOf(entry).filter(({ upstream }) => upstreams.has(upstream))
    return routes.length > 0 ? [{ ...entry, value: { ...entry.value, routes } }] : []
  })
  const known = new Set<unknown>(['*', ...models.map(({ id }) => id)])
  const groups = found.groups.flatMap((entry): FoundEntry[] => {
    const { models: named, prices } = entry.value as { models: readonly unknown[]; prices?: object }
    const left = named.filter((model) => known.has(model))
    const own = prices && { prices: Object.fromEntries(Object.entries(prices).filter(([model]) => known.has(model))) }
    return left.length > 0 ? [{ ...entry, value: { ...entry.value, models: left, ...own } }] : []
  })
  return { ...found, models, groups }
}
