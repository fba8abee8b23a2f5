// Most events of a stream are alike but for one string. Once such an event has been parsed, the others of its shape are
// recognised by what stands before and after that string, and only the string is read.

import { isObject, type Json, parsedJson } from '../../../canonical/reading.ts'
import { choiceIndex } from './decode-reply.ts'
import { usageOfBody } from './usage.ts'

export type Kind = 'text' | 'reasoning'

/** `padding`: what stands behind random characters that some services put in at the end to hide the length of the text. */
type Shape = { kind: Kind; choice: number; before: string; after: string; padding: string | undefined }

export type Shapes = {
  /** Reads an event of a known shape into `found`; false when it has to be parsed. */
  read(data: string): boolean
  readonly found: { kind: Kind; choice: number; text: string }
  /** Remembers the shape of an event that has been parsed, if it is one. */
  learn(data: string, body: Json): void
}

/** Events that are never alike (some have a random text in each) are not looked at forever. */
const MOST_ATTEMPTS = 16
const LONGEST = 4_096
const FIELDS: readonly [field: string, kind: Kind][] = [
  ['content', 'text'],
  ['reasoning_content', 'reasoning'],
  ['reasoning', 'reasoning'],
]

export function openShapes(): Shapes {
  const found: Shapes['found'] = { kind: 'text', choice: 0, text: '' }
  let latest: Shape | undefined
  let earlier: Shape | undefined
  let attempts = 0

  function matches(shape: Shape | undefined, data: string): boolean {
    if (shape === undefined) return false
    const { before } = shape
    const end = textEnd(shape, data)
    if (end - before.length < 2 || !data.startsWith(before)) return false
    const text = plainString(data, before.length, end)
    if (text === undefined || text === '') return false
    found.kind = shape.kind
    found.choice = shape.choice
    found.text = text
    return true
  }

  return {
    found,
    read(data) {
      if (matches(latest, data)) return true
      if (!matches(earlier, data)) return false
      const swapped = latest
      latest = earlier
      earlier = swapped
      return true
    },
    learn(data, body) {
      if (attempts >= MOST_ATTEMPTS || data.length > LONGEST) return
      attempts++
      const shape = shapeOf(data, body)
      if (shape === undefined) return
      earlier = latest
      latest = shape
    },
  }
}

const QUOTE = 0x22

/** Where the text of an event of this shape ends; -1 when it is none. */
function textEnd({ after, padding }: Shape, data: string): number {
  if (padding === undefined) return data.endsWith(after) ? data.length - after.length : -1
  if (!data.endsWith(padding)) return -1
  const end = data.lastIndexOf(after)
  const filler = end < 0 ? '"' : data.slice(end + after.length, data.length - padding.length)
  return filler.includes('"') || filler.includes('\\') ? -1 : end
}

const PADDING = '"obfuscation":"'

/** What is the same in every event behind its text: all of it, or what stands around the padding. */
function split(after: string): Pick<Shape, 'after' | 'padding'> {
  const start = after.indexOf(PADDING)
  const end = start < 0 ? -1 : stringEnd(after, start + PADDING.length - 1)
  if (end < 0) return { after, padding: undefined }
  return { after: after.slice(0, start + PADDING.length), padding: after.slice(end - 1) }
}

/** The string that is the JSON between these places; undefined when it is something else. */
function plainString(data: string, start: number, end: number): string | undefined {
  if (data.charCodeAt(start) !== QUOTE || data.charCodeAt(end - 1) !== QUOTE) return undefined
  const inner = data.slice(start + 1, end - 1)
  if (!inner.includes('\\')) return inner.includes('"') ? undefined : inner
  const read = parsedJson(data.slice(start, end))
  return typeof read === 'string' ? read : undefined
}

function shapeOf(data: string, body: Json): Shape | undefined {
  const delta = data.indexOf('"delta"')
  if (delta < 0) return undefined
  for (const [field, kind] of FIELDS) {
    const text = soleText(body, field)
    if (text === undefined) continue
    const start = valueStart(data, field, delta)
    const end = start < 0 ? -1 : stringEnd(data, start)
    if (end < 0) return undefined
    const before = data.slice(0, start)
    const after = data.slice(end)
    // That the place is the right one is tried out with a text that no model says.
    const probe = parsedJson(`${before}"\\u0001probe"${after}`)
    if (!isObject(probe) || soleText(probe, field) !== '\u0001probe') return undefined
    return { kind, choice: choiceOf(body), before, ...split(after) }
  }
  return undefined
}

/** Behind `"field":` and its spaces, where a string begins. */
function valueStart(data: string, field: string, from: number): number {
  const name = data.indexOf(`"${field}"`, from)
  if (name < 0) return -1
  let at = name + field.length + 2
  while (data[at] === ' ' || data[at] === ':') at++
  return data.charCodeAt(at) === QUOTE ? at : -1
}

function stringEnd(data: string, start: number): number {
  for (let at = start + 1; at < data.length; at++) {
    const unit = data.charCodeAt(at)
    if (unit === 0x5c) at++
    else if (unit === QUOTE) return at + 1
  }
  return -1
}

const choiceOf = (body: Json): number => choiceIndex(Array.isArray(body.choices) ? body.choices[0] : undefined, 0)

/** What else a choice and its delta may hold without it meaning anything. */
const IDLE_IN_CHOICE = new Set(['index', 'delta'])
const IDLE_IN_BODY = new Set([
  'choices',
  'id',
  'object',
  'created',
  'model',
  'system_fingerprint',
  'service_tier',
  'obfuscation',
])

/** The text of this field, when the event says nothing else at all. */
function soleText(body: Json, field: string): string | undefined {
  const choices = body.choices
  if (!Array.isArray(choices) || choices.length !== 1 || usageOfBody(body) !== undefined) return undefined
  const choice: unknown = choices[0]
  if (!isObject(choice) || !isObject(choice.delta)) return undefined
  const { delta } = choice
  const text = delta[field]
  if (typeof text !== 'string' || text === '') return undefined
  if (!isIdle(body, IDLE_IN_BODY) || !isIdle(choice, IDLE_IN_CHOICE)) return undefined
  return isIdle(delta, new Set([field, 'role'])) ? text : undefined
}

/** Apart from these, everything is null or empty. */
function isIdle(holder: Json, but: ReadonlySet<string>): boolean {
  return Object.entries(holder).every(([name, value]) => but.has(name) || value === null || value === '')
}
