// docs/reference/configuration.md has every field that the reader of the configuration accepts, and no other. What it accepts is learned
// from the reader itself: for a field that it does not know, its message lists those that it knows.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MODEL_TYPES } from '../modalities/index.ts'
import { assemble } from './assemble.ts'

const PAGE = readFileSync(join(import.meta.dir, '../../../../docs/reference/configuration.md'), 'utf8')

const UNKNOWN = 'zqzqzq'
type Path = readonly (string | number)[]
type Tree = { [name: string]: unknown }

const found = new Map<string, string[]>()

function messagesOf(file: unknown): string[] {
  const source = JSON.stringify(file)
  const messages =
    found.get(source) ?? assemble({ source, file: 'trivium.yaml', env: {} }).mistakes.map(({ message }) => message)
  found.set(source, messages)
  return messages
}

/** Finds mistakes in a field itself: `server.drain: expected ...`. */
const isOf =
  (path: Path) =>
  (message: string): boolean =>
    message.split(': ')[0]?.endsWith(String(path.at(-1))) ?? false

function at(value: unknown, [step, ...rest]: Path): unknown {
  return step === undefined ? value : at((value as Tree | undefined)?.[step], rest)
}

function withAt(value: unknown, [step, ...rest]: Path, inner: unknown): unknown {
  if (step === undefined) return inner
  if (typeof step === 'number') return [withAt((value as unknown[] | undefined)?.[step], rest, inner)]
  return { ...(value as Tree), [step]: withAt((value as Tree | undefined)?.[step], rest, inner) }
}

/** The names that the reader knows at this place of a file. undefined: it expects no fields there. */
function knownAt(file: unknown, path: Path): string[] | undefined {
  const probed = withAt(file, path, { ...(at(file, path) as Tree), [UNKNOWN]: 1 })
  const listed = new RegExp(`unknown field "${UNKNOWN}"; known fields: (.+)$`)
  return messagesOf(probed)
    .map((message) => listed.exec(message)?.[1]?.split(', '))
    .find((names) => names !== undefined)
}

/** A name that is known only to be rejected gets the same message whatever its value is. */
function isAccepted(file: unknown, path: Path): boolean {
  let same: string[] | undefined
  for (const value of [{ [UNKNOWN]: 1 }, [UNKNOWN], UNKNOWN, 1, true]) {
    const messages = messagesOf(withAt(file, path, value)).filter(isOf(path))
    same = same ? same.filter((message) => messages.includes(message)) : messages
    if (same.length === 0) return true
  }
  return false
}

/** In a map with names of the operator's choice; it is also a model of the probed files. */
const NAME = 'm'

/** Every accepted field below a place, as a path such as `timeouts.idle`; not below those that are written like a price. */
function acceptedBelow(file: unknown, path: Path, shown = ''): string[] {
  if (/(^|\.)(cost|prices)\.$/.test(shown)) return []
  const isPlain = (message: string) => isOf(path)(message) && /: expected (?!a list|fields)/.test(message)
  for (const inside of [[], [0], [NAME]] as const) {
    const place = [...path, ...inside]
    const known = knownAt(file, place)
    if (!known && messagesOf(withAt(file, place, { [UNKNOWN]: 1 })).some(isPlain)) return []
    if (!known) continue
    const prefix = inside[0] === NAME ? `${shown}NAME.` : shown
    return known
      .filter((name) => isAccepted(file, [...place, name]))
      .flatMap((name) => [`${prefix}${name}`, ...acceptedBelow(file, [...place, name], `${prefix}${name}.`)])
  }
  return []
}

/** The names in the first column of the tables of a section. */
function documentedIn(heading: string): string[] {
  const section = new RegExp(`^#+ ${heading}\\n([\\s\\S]*?)(?=^#+ |(?![\\s\\S]))`, 'm').exec(PAGE)?.[1] ?? ''
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = '']) => name)
}

/** A field with fields of its own needs no row. */
const leavesOf = (fields: readonly string[]): string[] =>
  fields.filter((field) => !fields.some((other) => other.startsWith(`${field}.`)))

function expectDocumented(heading: string, accepted: readonly string[]): void {
  const documented = documentedIn(heading)
  expect({ heading, missing: leavesOf(accepted).filter((field) => !documented.includes(field)) }).toEqual({
    heading,
    missing: [],
  })
  expect({ heading, unknown: documented.filter((field) => !accepted.includes(field)) }).toEqual({
    heading,
    unknown: [],
  })
}

const UPSTREAMS = [{ id: 'u', dialect: 'chat', base_url: 'https://api.example.com/v1', keys: ['none'] }]
const MODEL = { id: NAME, routes: [{ upstream: 'u' }] }
const SECTIONS = knownAt({}, []) ?? []
/** What other fields need: addresses of alerts, roles of groups, and mappings of claims. */
const NEEDED = {
  mail: { url: 'smtps://smtp.example.com', from: 'gateway@example.com' },
  sign_in: {
    providers: [{ groups_claim: 'groups' }],
    api_tokens: [{ account_claim: 'team', accounts: { a: '1' }, group_claim: 'groups', groups: { a: 'default' } }],
  },
}

test.each(SECTIONS.filter((name) => !['upstreams', 'models', 'groups'].includes(name)))('settings of %s', (section) => {
  expectDocumented(section, [section, ...acceptedBelow(NEEDED, [section], `${section}.`)])
})

test('upstreams', () => {
  // Some fields are for certain kinds alone.
  const withKind = [{ id: 'u', kind: 'moonshot', keys: ['k'] }]
  const accepted = [UPSTREAMS, withKind].flatMap((upstreams) => acceptedBelow({ upstreams }, ['upstreams', 0]))
  expectDocumented('upstreams', [...new Set(accepted)])
})

/** Prices of long contexts and tiers have the names of the price itself. */
const ownPrice = (field: string): string =>
  field.replace(/^price\.tiers\.NAME\./, 'price.').replace(/^price\.long_context\.(?!above)/, 'price.')

describe.each(MODEL_TYPES.map((type) => [type] as const))('models of type %s', (type) => {
  const file = { upstreams: UPSTREAMS, models: [{ ...MODEL, type }] }
  const accepted = acceptedBelow(file, ['models', 0])
  const below = (prefix: string) => accepted.filter((field) => field.startsWith(prefix))

  test('price and limits', () => {
    const tiers = below('price.tiers.NAME.').length > 0 ? ['price.tiers.NAME'] : []
    expectDocumented(`Prices of ${type} models`, [...below('price.').map(ownPrice), ...tiers, ...below('limits.')])
  })

  test('costs and prices of groups are written like the price', () => {
    const groups = [{ id: 'g', models: ['*'] }]
    const price = knownAt(file, ['models', 0, 'price'])
    expect(price).not.toBeEmpty()
    expect(knownAt(file, ['models', 0, 'routes', 0, 'cost'])).toEqual(price)
    expect(knownAt({ ...file, groups }, ['groups', 0, 'prices', NAME])).toEqual(price)
  })
})

test('models and routes', () => {
  const accepted = MODEL_TYPES.flatMap((type) =>
    acceptedBelow({ upstreams: UPSTREAMS, models: [{ ...MODEL, type }] }, ['models', 0]),
  ).filter((field) => !/^(price|limits)\./.test(field))
  expectDocumented('models', [...new Set(accepted)])
})

test('groups', () => {
  const file = { upstreams: UPSTREAMS, models: [MODEL], groups: [{ id: 'g', models: ['*'] }] }
  const accepted = acceptedBelow(file, ['groups', 0])
  expectDocumented('groups', accepted)
})
