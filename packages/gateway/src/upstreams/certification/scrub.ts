// Removes from what an upstream answered whatever tells who asked: keys, organisations, projects, accounts, request ids. What is
// left is for publication, so a word too many is masked rather than one too few.

/** Removes from one certification all that its responses have told so far. */
export type Scrubber = {
  /** Learns the names of headers that also stand in texts. */
  learn(headers: ReadonlyMap<string, string>): void
  text(text: string): string
  /** A JSON text; another text is treated as such. */
  json(text: string): string
}

const MASK = 'masked'
/** Shorter names are words of other texts, too. */
const SHORTEST_NAME = 4

/** Fields and headers whose values name an owner. */
const OWNER = /organi[sz]ation|account|project|workspace|tenant|team|customer|user(?!-agent)|owner|email|deployment/i
/** Headers whose values name a request or a session. */
const REQUEST = /request-?id|trace|correlation|cookie|ray|session|operation-id/i
/** Fields whose values name an object of the customer's, or are made for one. */
const PRIVATE = /(?:^|_)id$|Id$|signature$|encrypted|fingerprint$|^redacted/
/** The model's name: it may be long, with digits. */
const MODEL = /^model(?:Version)?$/

const PATTERNS: readonly [RegExp, string][] = [
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, MASK],
  [/\b(accounts|projects|organizations|workspaces|users|tenants)\/[^/\s"',?]+/g, `$1/${MASK}`],
  [/\b(ft:[^:\s"]+):[^\s"']*/g, `$1:${MASK}`],
  [/\b(?:org|proj|user|acct|account|req|request|sk|rk|pk|sess|wrkspc|ws|team|cus)[-_][\w-]{6,}/gi, MASK],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, MASK],
  [/\b(?:\d{1,3}\.){3}\d{1,3}\b/g, MASK],
]
/** Random text: long, with letters and digits. */
const RANDOM = /(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{20,}/gi

/** `names`: what is known to be secret before anything was answered, such as the key and parts of the base URL. */
export function openScrubber(names: readonly string[]): Scrubber {
  const secrets = new Set<string>()
  const ids = new Map<string, string>()
  const add = (value: string) => {
    if (value.length >= SHORTEST_NAME && value !== MASK) secrets.add(value)
  }
  for (const name of names) add(name)

  function plain(text: string, isModel = false): string {
    let rest = text
    for (const secret of [...secrets].toSorted((one, other) => other.length - one.length))
      rest = rest.replaceAll(secret, MASK)
    for (const [pattern, by] of PATTERNS) rest = rest.replace(pattern, by)
    return isModel ? rest : rest.replace(RANDOM, MASK)
  }

  /** The same name for the same id, so that references within a response stay right. */
  function maskedId(id: string): string {
    const prefix = /^[a-z]{2,10}[-_]/.exec(id)?.[0] ?? ''
    const known = ids.get(id) ?? `${prefix}${MASK}${ids.size + 1}`
    ids.set(id, known)
    return known
  }

  function learnFields(value: unknown): void {
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'string' && OWNER.test(name)) add(inner)
      else learnFields(inner)
    }
  }

  function masked(value: unknown, name: string): unknown {
    if (Array.isArray(value)) return value.map((each) => masked(each, name))
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([field, inner]) => [plain(field), masked(inner, field)]))
    if (typeof value !== 'string' || value === '') return value
    return PRIVATE.test(name) ? maskedId(value) : plain(value, MODEL.test(name))
  }

  return {
    learn(headers) {
      for (const [name, value] of headers) if (OWNER.test(name) || REQUEST.test(name)) add(value)
    },
    text: (text) => plain(text),
    json(text) {
      try {
        const value: unknown = JSON.parse(text)
        learnFields(value)
        return JSON.stringify(masked(value, ''))
      } catch {
        return plain(text)
      }
    },
  }
}
