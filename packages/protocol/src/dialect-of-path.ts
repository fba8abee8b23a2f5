// The dialect of an error. A client with a wrong base URL matches no route, and its SDK still reads only the errors of its
// own dialect.

import { DIALECTS, type DialectId } from './dialects/index.ts'
import { dialectBelow, dialectTraced, isUnder, ROUTES } from './routes.ts'

type Headers = { get(name: string): string | null }

/** Each of these headers belongs to one dialect: its version, or, as a last resort, its credential. */
const VERSION_HEADERS = Object.values(DIALECTS).flatMap(({ id, version }) => pairs(version?.headers ?? [], id))
const KEY_HEADERS = Object.values(DIALECTS).flatMap(({ id, credential }) => pairs(credential.headers, id))

function pairs(names: readonly string[], dialect: DialectId): [header: string, dialect: DialectId][] {
  return names.map((name) => [name, dialect])
}

/** Behind a model's name, at any beginning of a path; most of them are not served. */
const VERB =
  /:(?:generateContent|streamGenerateContent|countTokens|batchGenerateContent|(?:embed|batchEmbed)Contents?|predict(?:LongRunning)?)(?:\/|$)/

export function dialectOfPath(path: string, headers: Headers): DialectId {
  const plain = path.split(/[?#]/, 1)[0] ?? ''
  // `/v1/models/x:generateContent` looks like an entry of the model list, but only one dialect has such a verb.
  if (VERB.test(plain)) return 'generate-content'
  // Its errors have one shape, whatever headers its clients send.
  if (isUnder(plain, '/admin')) return 'chat'
  const versioned = VERSION_HEADERS.find(([name]) => headers.get(name) !== null)?.[1]
  if (isUnder(plain, ROUTES['list-models'].path)) return versioned ?? 'chat'
  const written = dialectBelow(plain) ?? dialectTraced(plain) ?? versioned
  if (written !== undefined) return written
  return KEY_HEADERS.find(([name]) => headers.get(name) !== null)?.[1] ?? 'chat'
}
