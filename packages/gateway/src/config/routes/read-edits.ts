// What a route sets, fills in and leaves out in its requests, and its system prompt: validated against the dialects of its upstream.
import { TEXT_DIALECT_IDS, TEXT_DIALECTS, type TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { type EditedField, judgeField } from '@trivium/protocol/dialects/shared/pass-through/operator-edits.ts'
import { isScalar } from 'yaml'
import { codec } from '../../bytes/codec.ts'
import { type DialectEdits, isPricedBeta, type RouteEdits, type WrittenEdits } from '../../modalities/route-edits.ts'
import { isPriced, type TokenPrice } from '../../money/prices/token-price.ts'
import { closestMatch } from '../../yaml/closest-match.ts'
import { addMistake, type YamlValue } from '../../yaml/document.ts'
import {
  entriesOf,
  type Fields,
  fieldsOf,
  isList,
  isMapValue,
  itemsOf,
  listOf,
  quote,
  scalarText,
} from '../../yaml/fields.ts'
import { readText } from '../../yaml/scalars.ts'
import { readHeaders } from './read-headers.ts'

export const EDIT_FIELDS = { set: true, default: true, drop: true, headers: true, system: true } as const
export const EDIT_NAMES = Object.keys(EDIT_FIELDS) as readonly (keyof typeof EDIT_FIELDS)[]

const MOST_BYTES = 64 * 1024
const MOST_FIELDS = 64
const MOST_TOKENS = 100_000_000
const EXAMPLE = 'set: { temperature: 0.2 }'

/** undefined: the route changes nothing. */
export function readEdits(fields: Fields, dialects: readonly TextDialectId[]): RouteEdits | undefined {
  if (!EDIT_NAMES.some((name) => fields.get(name))) return undefined
  const set = valuesIn(fields.get('set'))
  const usual = valuesIn(fields.get('default'))
  const drop = namesIn(fields.get('drop'))
  const systemValue = fields.get('system')
  const system = systemValue && readSystem(systemValue)
  const headerValue = fields.get('headers')
  const headers = headerValue && readHeaders(headerValue)
  checkOnce([...set.keys(), ...usual.keys(), ...drop.keys()].map(plain), fields.value)
  const parts = new Map<TextDialectId, DialectEdits>()
  const judged = judgeAll({ set, default: usual, drop }, dialects)
  for (const dialect of dialects) {
    const part = editsIn(judged, dialect)
    parts.set(dialect, system ? { ...part, body: { ...part.body, system } } : part)
  }
  const written: WrittenEdits = {
    ...(set.size > 0 ? { set: plainValues(set) } : {}),
    ...(usual.size > 0 ? { default: plainValues(usual) } : {}),
    ...(drop.size > 0 ? { drop: [...drop.keys()] } : {}),
    ...(headers ? { headers } : {}),
    ...(system ? { system } : {}),
  }
  const textBytes = Buffer.byteLength(JSON.stringify({ ...written, headers: undefined, drop: undefined }))
  if (textBytes > MOST_BYTES)
    addMistake(fields.value, `set, default and system have ${textBytes} bytes; at most ${MOST_BYTES} are possible`)
  return { written, byDialect: Object.fromEntries(parts), textBytes }
}

type Values = ReadonlyMap<string, { value: unknown; at: YamlValue }>
const plain = (name: string): string => name.replaceAll('_', '').toLowerCase()
const plainValues = (values: Values) => Object.fromEntries([...values].map(([name, { value }]) => [name, value]))

function valuesIn(field: YamlValue | undefined): Values {
  const entries = field ? entriesOf(field, EXAMPLE) : []
  if (field && entries.length > MOST_FIELDS) addMistake(field, `has more than ${MOST_FIELDS} fields`)
  return new Map(entries.map(([name, at]) => [name, { value: jsonIn(at, 0), at }]))
}

function namesIn(field: YamlValue | undefined): Values {
  const names = (field && listOf((at) => wordAt(at), '[user]')(field)) ?? []
  if (field && names.length > MOST_FIELDS) addMistake(field, `has more than ${MOST_FIELDS} fields`)
  return new Map(names.map(({ name, at }) => [name, { value: undefined, at }]))
}

function wordAt(at: YamlValue): { name: string; at: YamlValue } | undefined {
  const name = readText(at)
  return name === undefined ? undefined : { name, at }
}

const DEEPEST = 16

/** The value as it is sent. Text has its references replaced. */
function jsonIn(value: YamlValue, depth: number): unknown {
  if (depth > DEEPEST) {
    addMistake(value, `is nested more than ${DEEPEST} levels deep`)
    return undefined
  }
  if (isMapValue(value)) {
    return Object.fromEntries(entriesOf(value, EXAMPLE).map(([name, inner]) => [name, jsonIn(inner, depth + 1)]))
  }
  if (isList(value)) return (itemsOf(value, '[1, 2]') ?? []).map((item) => jsonIn(item, depth + 1))
  const node = value.context.resolve(value.node)
  if (isScalar(node) && (typeof node.value === 'boolean' || typeof node.value === 'number')) {
    if (typeof node.value === 'boolean' || Number.isFinite(node.value)) return node.value
    addMistake(value, 'is not a number that JSON has')
    return undefined
  }
  return scalarText(value, 'a value')
}

const SYSTEM_FIELDS = { before: true, after: true } as const

function readSystem(value: YamlValue): { before?: string; after?: string } | undefined {
  const fields = fieldsOf(value, SYSTEM_FIELDS, 'system: { before: "Answer in English." }')
  if (!fields) return undefined
  const before = fields.optional<string | undefined>('before', readText, undefined)
  const after = fields.optional<string | undefined>('after', readText, undefined)
  if (!fields.get('before') && !fields.get('after')) addMistake(value, 'needs before, after or both')
  return { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }
}

function checkOnce(names: readonly string[], at: YamlValue): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  const overlap = names.find((name) => names.some((other) => other.startsWith(`${name}.`)))
  if (twice !== undefined) addMistake(at, `${quote(twice)} is in two of set, default and drop; write it in one`)
  else if (overlap !== undefined)
    addMistake(at, `${quote(overlap)} is changed as a whole and in part; write one of them`)
}

type How = 'set' | 'default' | 'drop'
type Judged = { how: How; name: string; value: unknown; in: ReadonlyMap<TextDialectId, EditedField> }

function judgeAll(written: Record<How, Values>, dialects: readonly TextDialectId[]): Judged[] {
  return (Object.keys(written) as How[]).flatMap((how) =>
    [...written[how]].flatMap(([name, { value, at }]) => {
      const all = new Map(TEXT_DIALECT_IDS.map((dialect) => [dialect, judge(dialect, name, value)]))
      const own = capEverywhere(new Map([...all].filter(([dialect]) => dialects.includes(dialect))))
      const problem = dialects.length === 0 ? undefined : problemOf({ how, name, value, in: own }, all, dialects)
      if (problem !== undefined) addMistake(at, problem)
      return problem === undefined ? [{ how, name, value, in: own }] : []
    }),
  )
}

/** The cap of one of an upstream's dialects holds in all of them, each of which has a name of its own for it. */
function capEverywhere(own: ReadonlyMap<TextDialectId, EditedField>): ReadonlyMap<TextDialectId, EditedField> {
  const cap = [...own.values()].find(({ is }) => is === 'cap')
  return cap ? new Map([...own.keys()].map((dialect) => [dialect, cap])) : own
}

function judge(dialect: TextDialectId, name: string, value: unknown): EditedField {
  const { editable } = TEXT_DIALECTS[dialect]
  return editable ? judgeField(editable, name, value, codec) : { is: 'fixed' }
}

const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}(\.[A-Za-z_][A-Za-z0-9_-]{0,63})?$/

function problemOf(
  { how, name, value, in: own }: Judged,
  all: ReadonlyMap<TextDialectId, EditedField>,
  dialects: readonly TextDialectId[],
): string | undefined {
  if (!NAME.test(name)) return `${quote(name)} is not the name of a field, nor of a member such as metadata.user_id`
  const kinds = new Set([...own.values()].map(({ is }) => is))
  if (kinds.has('fixed')) return 'is decided by the caller and the gateway; a route cannot change it'
  if (kinds.has('bound')) return `bounds or multiplies the output, and cannot be set; set ${capsOf(dialects)}`
  if (kinds.has('cap')) {
    if (how === 'drop') return 'is what funds are held for; a route can set it, but not drop it'
    const isCap = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_TOKENS
    return isCap ? undefined : `expected a whole number of tokens from 1 to ${MOST_TOKENS}`
  }
  if (kinds.has('field')) {
    const priced = [...own.values()].some((each) => each.is === 'field' && each.priced.length > 0)
    return how === 'default' && priced ? 'has a price of its own, so that it can be set, but is no default' : undefined
  }
  const elsewhere = [...all].filter(([, { is }]) => is !== 'unknown').map(([dialect]) => dialect)
  if (elsewhere.length > 0)
    return `is a field of ${elsewhere.join(' and ')}; the upstream is asked in ${dialects.join(' and ')}`
  const guess = closestMatch(
    name,
    dialects.flatMap((dialect) => Object.keys(TEXT_DIALECTS[dialect].editable?.fields ?? {})),
  )
  return guess === undefined ? undefined : `unknown field ${quote(name)}; did you mean ${guess}?`
}

const capsOf = (dialects: readonly TextDialectId[]): string =>
  [...new Set(dialects.flatMap((dialect) => TEXT_DIALECTS[dialect].editable?.caps.slice(0, 1) ?? []))].join(' or ')

/** A field is changed where the dialect has it, and one that no dialect has everywhere: a vendor may. */
function editsIn(judged: readonly Judged[], dialect: TextDialectId): DialectEdits {
  const applied = judged.filter(({ in: own }) => {
    const here = own.get(dialect)?.is
    return here !== 'unknown' || [...own.values()].every(({ is }) => is === 'unknown')
  })
  const isCap = ({ in: own }: Judged): boolean => own.get(dialect)?.is === 'cap'
  const fields = applied.filter((each) => !isCap(each))
  const jsonOf = (how: How) =>
    Object.fromEntries(
      fields.filter((each) => each.how === how).map(({ name, value }) => [name, JSON.stringify(value)]),
    )
  const capOf = (how: How) => applied.find((each) => each.how === how && isCap(each))?.value as number | undefined
  const [set, usual] = [capOf('set'), capOf('default')]
  const priceable = fields.filter(({ in: own }) => {
    const here = own.get(dialect)
    return here?.is === 'field' && here.mayHavePrice
  })
  return {
    body: {
      set: jsonOf('set'),
      default: jsonOf('default'),
      drop: fields.filter(({ how }) => how === 'drop').map(({ name }) => name),
    },
    cap: { ...(set === undefined ? {} : { set }), ...(usual === undefined ? {} : { default: usual }) },
    priced: priceable.flatMap(({ name, in: own }) => {
      const here = own.get(dialect)
      return here?.is === 'field' ? here.priced.map((each) => ({ ...each, field: name })) : []
    }),
    replaced: priceable.filter(({ how }) => how !== 'default').map(({ name }) => name),
  }
}

/** What of a route needs a row that the price lacks: the end of a sentence. */
export function unpricedEdit({ byDialect, written }: RouteEdits, price: TokenPrice): string | undefined {
  for (const edits of Object.values(byDialect)) {
    const lacking = edits?.priced.find((each) => !isPriced(price, each))
    if (!lacking) continue
    const row =
      lacking.kind === 'tier' ? `tiers.${lacking.word}` : lacking.kind === 'tool' ? `tools.${lacking.word}` : ''
    return `sets ${lacking.field}, which ${row === '' ? 'no price can say' : `needs the price ${row}`}`
  }
  const { set = {}, default: usual = {} } = written.headers ?? {}
  const betas = Object.values(TEXT_DIALECTS).flatMap(({ betaHeader }) => betaHeader ?? [])
  const isPricedHeader = (name: string) =>
    [set[name], usual[name]].some((list) => list?.split(',').some((beta) => isPricedBeta(beta.trim())))
  const header = price.longContext ? undefined : betas.find(isPricedHeader)
  return header === undefined ? undefined : `sets ${header} to what needs the price long_context`
}
