// The dialect of an error. A client with a wrong base URL matches no route, and its SDK still reads only the errors of its
// own dialect.

import { DIALECTS, type DialectId } from './dialects/index.ts'
import { DIALECT_PATHS, type DialectPaths, ROUTES } from './routes.ts'

type Headers = { get(name: string): string | null }

const PATHS = Object.entries(DIALECT_PATHS) as [DialectId, DialectPaths][]

/** Each of these headers belongs to one dialect: its version, or, as a last resort, its credential. */
const VERSION_HEADERS = Object.values(DIALECTS).flatMap(({ id, version }) => pairs(version?.headers ?? [], id))
const KEY_HEADERS = Object.values(DIALECTS).flatMap(({ id, credential }) => pairs(credential.headers, id))

function pairs(names: readonly string[], dialect: DialectId): [header: string, dialect: DialectId][] {
  return names.map((name) => [name, dialect])
}

const VERBS: readonly [RegExp, DialectId][] = PATHS.flatMap(([dialect, { verbs }]) =>
  verbs === undefined ? [] : [[new RegExp(`:(?:${verbs.join('|')})(?:/|$)`), dialect]],
)

export function dialectOfPath(path: string, headers: Headers): DialectId {
  const plain = path.split(/[?#]/, 1)[0] ?? ''
  // `/v1/models/x:generateContent` looks like an entry of the model list, but only one dialect has such a verb.
  const verb = VERBS.find(([pattern]) => pattern.test(plain))
  if (verb !== undefined) return verb[1]
  const versioned = VERSION_HEADERS.find(([name]) => headers.get(name) !== null)?.[1]
  if (isUnder(plain, ROUTES['list-models'].path)) return versioned ?? 'chat'
  const below = PATHS.find(([, { prefix }]) => isUnder(plain, prefix))
  if (below !== undefined) return below[0]
  const traced = PATHS.find(([, { traces }]) => traces.some((trace) => plain.includes(trace)))
  if (traced !== undefined) return traced[0]
  if (versioned !== undefined) return versioned
  return KEY_HEADERS.find(([name]) => headers.get(name) !== null)?.[1] ?? 'chat'
}

function isUnder(path: string, beginning: string): boolean {
  return path === beginning || path.startsWith(`${beginning}/`)
}
