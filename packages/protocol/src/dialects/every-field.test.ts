// Nothing is dropped silently: whatever field of a request is taken out, either what is sent differs, or the warnings do, or the request
// is rejected. And a field that no table knows is named in a warning, wherever it stands.

import { describe, expect, test } from 'bun:test'
import { EVERY_FIELD } from '../../fixtures/every-field.ts'
import { addressOf, testTarget } from '../../fixtures/matrix.ts'
import { type Translated, untranslatedFields } from '../canonical/encoding/untranslated-fields.ts'
import { isObject, type Json, RequestError } from '../canonical/reading.ts'
import { TOOLS } from './generate-content/pass-through/fields.ts'
import { TEXT_DIALECT_IDS, TEXT_DIALECTS, type TextDialectId } from './index.ts'

/** Tools that are rejected, or dropped with a warning, as a whole. */
/** The gateway reads them for itself, and no upstream gets them. */
const FOR_THE_GATEWAY = /^(session_id|sessionId|metadata\.(session_id|tags))$/
const RUN_BY_VENDORS = new Set(Object.keys(TOOLS).map((name) => `tools.${name}`))

type Path = readonly (string | number)[]

/**
 * What the gateway does itself, whatever the upstream speaks; names that repeat what is said elsewhere, or are labels; and words that
 * say how to read what stands beside them.
 */
const DONE: Readonly<Record<TextDialectId, RegExp>> = {
  chat: /^(model|stream|store|stream_options.*)$|^messages\.(tool_calls\.index|name)$|json_schema\.(name|strict)$/,
  responses:
    /^(model|stream|store|background|stream_options.*)$|^input\.(id|status|encrypted_content)$|text\.format\.(name|strict)$/,
  messages: /^(model|stream)$|\.(signature|media_type)$/,
  'generate-content': /^model$|\.(thoughtSignature|mimeType|functionCall\.id|functionResponse\.(id|name))$/,
}
const KINDS = /(^|\.)(type|role)$/

/** Fields that only say how much of another field there is to be. */
const OF_ANOTHER: Readonly<Record<string, string>> = { top_logprobs: 'logprobs', logprobs: 'responseLogprobs' }
const GENERIC = new Set(['messages', 'input', 'contents', 'tools', 'generationConfig'])

const isWhole = (translated: Translated | undefined): boolean => translated === true

/** The paths of all fields that the table reads whole, and those of the objects in between. */
function pathsIn(
  value: unknown,
  translated: Translated | undefined,
  dialect: TextDialectId,
  at: Path = [],
): { leaves: Path[]; objects: Path[] } {
  const all = { leaves: [] as Path[], objects: [] as Path[] }
  const add = (more: { leaves: Path[]; objects: Path[] }): void => {
    all.leaves.push(...more.leaves)
    all.objects.push(...more.objects)
  }
  if (Array.isArray(value)) value.forEach((one, index) => void add(pathsIn(one, translated, dialect, [...at, index])))
  if (!isObject(value)) return all
  const members = typeof translated === 'function' ? translated(value) : translated
  if (members === undefined || members === true) return all
  all.objects.push(at)
  for (const name of Object.keys(value)) {
    const path = [...at, name]
    all.leaves.push(path)
    if (!isWhole(members[name])) add(pathsIn(value[name], members[name], dialect, path))
  }
  return all
}

function edited(
  body: Json,
  path: Path,
  edit: (holder: Record<string | number, unknown>, last: string | number) => void,
): Json {
  const copy = structuredClone(body) as Record<string | number, unknown>
  let holder = copy
  for (const step of path.slice(0, -1)) holder = holder[step] as Record<string | number, unknown>
  edit(holder, path.at(-1) ?? '')
  return copy as Json
}

const valueAt = (body: Json, path: Path): unknown =>
  path.reduce<unknown>((holder, step) => (holder as Record<string | number, unknown>)[step], body)

const nameOf = (path: Path): string => path.filter((step) => typeof step === 'string').join('.')

/** `body` undefined: rejected, and the warnings name the field. */
type Sent = { body: string | undefined; warnings: readonly string[] }

function sent(from: TextDialectId, to: TextDialectId, body: Json): Sent {
  const { decodeRequest, rejectStored, translated, fieldNames } = TEXT_DIALECTS[from]
  const target = testTarget()
  try {
    rejectStored?.(body)
    const request = decodeRequest(body, addressOf(from))
    const foreign = request.turns
      .flatMap(({ parts }) => parts)
      .find((part) => part.type === 'foreign' && part.isEssential)
    const essential = foreign?.type === 'foreign' ? foreign.at : request.essential?.[0]
    if (essential !== undefined) return { body: undefined, warnings: [essential] }
    const encoded = TEXT_DIALECTS[to].encodeRequest(request, {
      ...target,
      warn: (field, reason) => void target.warnings.push(`${fieldNames[field] ?? field};${reason}`),
    })
    const dropped = [...request.untranslated, ...untranslatedFields(body, translated)].map(
      (field) => `${field};dropped`,
    )
    return { body: JSON.stringify([encoded.body, request.reasoning]), warnings: [...target.warnings, ...dropped] }
  } catch (thrown) {
    if (thrown instanceof RequestError) return { body: undefined, warnings: [thrown.info.param ?? ''] }
    throw thrown
  }
}

/** A warning with the name of the field, or of what it is a part of, is enough: another field may have caused it, too. */
function isSilent(path: Path, whole: Sent, other: Sent): boolean {
  if (whole.body === undefined || whole.body !== other.body) return false
  if (whole.warnings.join() !== other.warnings.join()) return false
  const steps = path.filter((step) => typeof step === 'string')
  const names = steps
    .filter((step, depth) => depth > 0 || !GENERIC.has(step))
    .flatMap((step) => [step, OF_ANOTHER[step]])
  return !whole.warnings.some((warning) => names.includes(warning.split(';')[0]?.split('.').at(-1) ?? ''))
}

/**
 * The same with another value in place of none. One that is no value of the field is rejected, or named, although the field itself is
 * lost: such a rejection proves nothing, and such a warning only where every value is one of the field.
 */
function isSilentAbout(path: Path, whole: Sent, other: Sent, value: unknown): boolean {
  if (other.body === undefined) return true
  const isAnyValueValid = typeof value === 'boolean' || typeof value === 'number'
  return isAnyValueValid ? isSilent(path, whole, other) : other.body === whole.body
}

function isRejectedFor(name: string, { warnings: [param = ''] }: Sent): boolean {
  const plain = param.replace(/\[\d+\]/g, '')
  return plain !== '' && (`${name}.`.startsWith(`${plain}.`) || `${plain}.`.startsWith(`${name}.`))
}

function otherThan(value: unknown): unknown {
  if (typeof value === 'string') return `${value}x`
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (Array.isArray(value)) return []
  return { other: value }
}

describe.each(TEXT_DIALECT_IDS.map((id) => [id] as const))('%s', (from) => {
  const { translated } = TEXT_DIALECTS[from]
  const requests = EVERY_FIELD[from].map((body) => ({ body: body as Json, ...pathsIn(body, translated.members, from) }))

  test.each(
    TEXT_DIALECT_IDS.filter((to) => to !== from).map((to) => [to] as const),
  )('to %s: no field is dropped silently', (to) => {
    const judged = new Set<string>()
    const silent = requests.flatMap(({ body, leaves }) => {
      const whole = sent(from, to, body)
      return leaves.flatMap((path) => {
        const name = nameOf(path)
        if (KINDS.test(name) || DONE[from].test(name)) return []
        const without = edited(body, path, (holder, last) => void delete holder[last])
        // A request that is rejected because of another field says nothing about this one.
        if (whole.body === undefined && !isRejectedFor(name, whole)) return []
        judged.add(name)
        if (valueAt(body, path) === null || !isSilent(path, whole, sent(from, to, without))) return []
        // Perhaps it says what is so without it, too.
        const other = edited(body, path, (holder, last) => {
          holder[last] = otherThan(holder[last])
        })
        return isSilentAbout(path, whole, sent(from, to, other), valueAt(body, path)) ? [name] : []
      })
    })
    expect([...new Set(silent)]).toEqual([])
    const all = requests.flatMap(({ leaves }) => leaves.map(nameOf))
    const unjudged = all.filter((name) => !judged.has(name) && !KINDS.test(name) && !DONE[from].test(name))
    expect([...new Set(unjudged)]).toEqual([])
  })

  test('an unknown field is named, wherever it stands', () => {
    const unnamed = requests.flatMap(({ body, objects }) =>
      objects.flatMap((path) => {
        const changed = edited(body, [...path, 'brand_new'], (holder, last) => {
          holder[last] = 1
        })
        const names = untranslatedFields(changed, translated)
        return names.includes(nameOf([...path, 'brand_new'])) ? [] : [nameOf(path)]
      }),
    )
    expect(unnamed).toEqual([])
  })

  test('the requests have every field of the table', () => {
    const found = new Set(requests.flatMap(({ leaves }) => leaves.map(nameOf)))
    const isElsewhere = (name: string) => RUN_BY_VENDORS.has(name) || FOR_THE_GATEWAY.test(name)
    const missing = known(translated.members).filter((name) => !found.has(name) && !isElsewhere(name))
    expect(missing).toEqual([])
  })
})

/** Names in the plain part of a table: what stands in a function is chosen by the requests. */
function known(members: Translated | undefined, at = ''): string[] {
  if (members === undefined || members === true || typeof members === 'function') return []
  return Object.entries(members).flatMap(([name, inner]) => [at + name, ...known(inner, `${at}${name}.`)])
}
