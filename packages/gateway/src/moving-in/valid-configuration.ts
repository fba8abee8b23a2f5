// What is found elsewhere need not be possible here: the configuration is validated as a whole, and what is in the way is left out and named.
import { assemble } from '../config/assemble.ts'
import type { StoredEntry } from '../config/stored.ts'
import type { BuiltIn } from '../config/upstream-kinds.ts'
import type { Findings } from './findings.ts'
import type { FoundConfiguration, FoundEntry } from './installation.ts'

const LISTS = [
  ['upstream', 'upstreams'],
  ['model', 'models'],
  ['group', 'groups'],
] as const
/** What a route changes in requests. */
const EDITS: readonly string[] = ['set', 'default', 'drop', 'headers', 'system']
/** Each time something is left out, others may become invalid: routes of an upstream, groups of a model. */
const MOST_ROUNDS = 10

export function validConfiguration(
  found: FoundConfiguration,
  builtIn: BuiltIn,
  findings: Findings,
): FoundConfiguration {
  let entries = found
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const invalid = invalidIn(entries, builtIn)
    if (invalid.size === 0) return entries
    entries = withoutInvalid(entries, invalid, findings)
  }
  return { ...entries, upstreams: [], models: [], groups: [] }
}

/** Why, by `KIND ID`. */
function invalidIn(entries: FoundConfiguration, builtIn: BuiltIn): ReadonlyMap<string, string> {
  const stored = LISTS.flatMap(([kind, list]) =>
    entries[list].map(({ id, value }): StoredEntry => ({ kind, id, value, revision: 1 })),
  )
  const { mistakes, invalid = [] } = {
    invalid: undefined,
    ...assemble({ source: '{}', file: '', env: {}, stored }, builtIn),
  }
  if (mistakes.length > 0) return new Map(stored.map(({ kind, id }) => [`${kind} ${id}`, mistakes[0]?.message ?? '']))
  return new Map(
    invalid.map((each) => [
      `${each.entry.kind} ${each.entry.id}`,
      each.mistakes.map(({ message }) => message.replace(/^stored \S+: ?/, '')).join('; '),
    ]),
  )
}

export const EDITS_LEFT_OUT = 'What its routes change in requests is not possible here, and left out.'
export const LEFT_OUT = 'It is left out'

function withoutInvalid(entries: FoundConfiguration, invalid: ReadonlyMap<string, string>, findings: Findings) {
  const upstreams = entries.upstreams.filter((entry) => isKept('upstream', entry, invalid, findings))
  const ids = new Set(upstreams.map(({ id }) => id))
  const models = entries.models.flatMap((entry): FoundEntry[] => {
    const routes = routesOf(entry)
    const left = routes.filter(({ upstream }) => ids.has(String(upstream)))
    if (left.length < routes.length)
      return left.length > 0 ? [{ ...entry, value: { ...entry.value, routes: left } }] : []
    if (!invalid.has(`model ${entry.id}`)) return [entry]
    const plain = routes.map((route) =>
      Object.fromEntries(Object.entries(route).filter(([name]) => !EDITS.includes(name))),
    )
    const hasEdits = routes.some((route) => EDITS.some((name) => name in route))
    if (!hasEdits) return isKept('model', entry, invalid, findings) ? [entry] : []
    findings.add(entry.from, 'manual', `${EDITS_LEFT_OUT} ${invalid.get(`model ${entry.id}`)}`, entry.id)
    return [{ ...entry, value: { ...entry.value, routes: plain } }]
  })
  const known = new Set(models.map(({ id }) => id))
  const groups = entries.groups.flatMap((entry): FoundEntry[] => {
    const { models: named, prices } = entry.value as { models?: unknown; prices?: object }
    const left = Array.isArray(named) ? named.filter((model) => model === '*' || known.has(model)) : []
    if (Array.isArray(named) && left.length === named.length)
      return isKept('group', entry, invalid, findings) ? [entry] : []
    const own = Object.fromEntries(Object.entries(prices ?? {}).filter(([model]) => known.has(model)))
    return left.length > 0
      ? [{ ...entry, value: { ...entry.value, models: left, ...(prices ? { prices: own } : {}) } }]
      : []
  })
  return { ...entries, upstreams, models, groups }
}

const routesOf = ({ value }: FoundEntry): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value.routes) ? value.routes : []

function isKept(
  kind: string,
  { id, from }: FoundEntry,
  invalid: ReadonlyMap<string, string>,
  findings: Findings,
): boolean {
  const why = invalid.get(`${kind} ${id}`)
  if (why !== undefined) findings.add(from, 'manual', `${LEFT_OUT}: ${why}`, id)
  return why === undefined
}
