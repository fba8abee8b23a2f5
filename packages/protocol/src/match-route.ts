// Finds the route of a path in the table of routes.ts.

import type { DialectId } from './dialects/index.ts'
import { type Alias, ROUTES, type Route, type RouteId } from './routes.ts'

type Headers = { get(name: string): string | null }

/** What a path serves by method, and the text that its parameter stands for; '' without one. */
export type RouteMatch = { methods: Readonly<Partial<Record<string, RouteId>>>; parameter: string }

/** A path in parts: `/v1beta/models/{model}:generateContent` has a beginning and an ending. */
type Template = { beginning: string; ending: string; isSegment: boolean }

const ALL: readonly [RouteId, Route][] = Object.entries(ROUTES) as [RouteId, Route][]

const templateOf = (path: string, isSegment = false): Template => {
  const [beginning = '', ending = ''] = path.split(/\{\w+\}/)
  return { beginning, ending, isSegment }
}

const hasParameter = (path: string): boolean => path.includes('{')

function parameterOf({ beginning, ending, isSegment }: Template, path: string): string | undefined {
  const shortest = beginning.length + ending.length
  // With an ending the path is certain, and a missing model is reported as such.
  if (path.length < shortest || (ending === '' && path.length === shortest)) return undefined
  if (!path.startsWith(beginning) || !path.endsWith(ending)) return undefined
  const parameter = path.slice(beginning.length, path.length - ending.length)
  return isSegment && parameter.includes('/') ? undefined : parameter
}

const EXACT = new Map<string, RouteMatch>()
/** Those with an ending come first: they are more specific. `methods` is undefined for a path that is only an alias. */
const PATTERNS: { path: string; template: Template; methods: Record<string, RouteId> | undefined }[] = []

function methodsAt(path: string): Record<string, RouteId> | undefined {
  const methods: Record<string, RouteId> = {}
  for (const [id, route] of ALL) {
    if (route.path !== path) continue
    methods[route.method] = id
    if (route.kind === 'status' || route.kind === 'media') methods.HEAD = id
  }
  return Object.keys(methods).length === 0 ? undefined : methods
}

for (const [, { path, isSegment, aliases = [] }] of ALL) {
  for (const each of [path, ...aliases.map((alias) => alias.path)]) {
    const methods = methodsAt(each)
    if (hasParameter(each)) {
      if (PATTERNS.every((pattern) => pattern.path !== each))
        PATTERNS.push({ path: each, template: templateOf(each, isSegment), methods })
    } else if (methods !== undefined) EXACT.set(each, { methods, parameter: '' })
  }
}
PATTERNS.sort((one, other) => other.template.ending.length - one.template.ending.length)

/** undefined: nothing is served at this path. Aliases are resolved before: see `servedPath`. */
export function matchRoute(path: string): RouteMatch | undefined {
  const exact = EXACT.get(path)
  if (exact) return exact
  for (const { template, methods } of PATTERNS) {
    const parameter = parameterOf(template, path)
    if (parameter !== undefined) return methods && { methods, parameter }
  }
  return undefined
}

type ServedAlias = Alias & { template: Template; served: Template; inQuery: RegExp }

/** Those with an ending first, as above. */
const ALIASES: readonly ServedAlias[] = ALL.flatMap(([, { path, aliases = [] }]) =>
  aliases.map((alias) => {
    const inQuery = new RegExp(`(?:^|&)${alias.query}=[^&]`)
    return { ...alias, template: templateOf(alias.path), served: templateOf(path), inQuery }
  }),
).sort((one, other) => other.template.ending.length - one.template.ending.length)

/** Every alias begins with one of these, so that most paths are compared with these alone. */
const ALIAS_BEGINNINGS = [...new Set(ALIASES.map(({ path }) => path.split(/\/?\{/, 1)[0] ?? ''))]

function mayBeAlias(path: string): boolean {
  for (const beginning of ALIAS_BEGINNINGS) if (path.startsWith(beginning)) return true
  return false
}

/** The path that the table serves in the place of an alias, if the request fulfils its condition; else the path as it is. */
export function servedPath(path: string, query: string, headers: Headers): string {
  if (!mayBeAlias(path)) return path
  for (const alias of ALIASES) {
    const parameter =
      alias.path === path ? '' : hasParameter(alias.path) ? parameterOf(alias.template, path) : undefined
    if (parameter === undefined) continue
    if (alias.unless?.some((name) => headers.get(name) !== null)) return path
    if (headers.get(alias.header) === null && !alias.inQuery.test(query)) return path
    return alias.served.beginning + parameter + alias.served.ending
  }
  return path
}

const SHED = new Map<string, DialectId>()
const SHED_PATTERNS: { template: Template; dialect: DialectId }[] = []

for (const [, { path, mayBeShed, dialect, aliases = [] }] of ALL) {
  if (!mayBeShed || dialect === undefined) continue
  for (const each of [path, ...aliases.map((alias) => alias.path)]) {
    if (hasParameter(each)) SHED_PATTERNS.push({ template: templateOf(each), dialect })
    else SHED.set(each, dialect)
  }
}

/** The dialect to reject a POST in that may be shed; undefined: it may not. Aliases count whatever the credential. */
export function sheddableDialect(path: string): DialectId | undefined {
  const dialect = SHED.get(path)
  if (dialect !== undefined) return dialect
  return SHED_PATTERNS.find(({ template }) => parameterOf(template, path) !== undefined)?.dialect
}
