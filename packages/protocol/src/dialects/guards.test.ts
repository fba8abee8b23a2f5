// The same verdict on a request, however long it is and however its strings are written: what short bodies are judged by must
// hold for the long ones, of which not all are parsed.
import { describe, expect, test } from 'bun:test'
import { bufferCodec, bytesOf, textOfPieces } from '../../fixtures/buffer-codec.ts'
import { FREE_NAMES, GUARDED, WRONG_NAMES } from '../../fixtures/shared/guards.ts'
import { DIALECTS, type Id } from '../../fixtures/shared/pass-through-requests.ts'
import { RequestError } from '../canonical/reading.ts'
import type { ConversationState } from './responses/state/conversation-state.ts'

const IDS = Object.keys(DIALECTS) as Id[]

function verdict(id: Id, json: string | Uint8Array): Record<string, unknown> {
  try {
    const bytes = typeof json === 'string' ? bytesOf(json) : json
    const request = DIALECTS[id].readRequest(bytes, bufferCodec, { model: 'm', stream: false })
    const { opening, edited, canonical, body: _, textBytes, values, state, calledMessages, ...facts } = request
    const withoutTools = request.priced.map(({ word }) => word)
    const sent: unknown = JSON.parse(textOfPieces(edited({ withoutTools })))
    return { ...facts, state: state && stateOf(state), tools: [facts.tools, (sent as { tools?: unknown }).tools] }
  } catch (thrown) {
    if (!(thrown instanceof RequestError)) throw thrown
    const { code, param } = thrown.info
    return { code, param }
  }
}

function stateOf({ items, expanded, foreground, ...state }: ConversationState): Record<string, unknown> {
  const { input } = JSON.parse(textOfPieces([expanded([], new Map())])) as { input: unknown }
  // What runs in the background is the same request without the wish for it.
  const run: unknown = { ...JSON.parse(textOfPieces([foreground()])), x_padding: undefined }
  return { ...state, items: JSON.parse(`[${textOfPieces([items(new Map())])}]`), input, run }
}

/** Strings with their first letter as an escape: all, names alone, values alone. */
const ESCAPED = {
  nothing: (json: string) => json,
  everything: (json: string) => json.replace(/"(?=[a-z])[^"\\]*"/gi, escapeFirst),
  names: (json: string) => json.replace(/"(?=[a-z])[^"\\]*"(?=:)/gi, escapeFirst),
  values: (json: string) => json.replace(/"(?=[a-z])[^"\\]*"(?!:)/gi, escapeFirst),
}
type Escaped = keyof typeof ESCAPED

function escapeFirst(string: string): string {
  return `"\\u${string.charCodeAt(1).toString(16).padStart(4, '0')}${string.slice(2)}`
}

/** Prose has no quotes for a long time; words are many short strings, which another part of the scan looks at. */
const prose = (bytes: number) => `"${'read the file before you edit it '.repeat(bytes / 33)}"`
function words(bytes: number): string {
  const count = Math.min(bytes / 50, 10_000)
  return `[${Array.from({ length: count }, () => prose(bytes / count)).join()}]`
}

/** Made once for each size: there are thousands of bodies. */
const MADE = new Map<string, string>()
function padding(kind: 'prose' | 'words', bytes: number): string {
  const made = MADE.get(kind + bytes) ?? `"x_padding":${kind === 'prose' ? prose(bytes) : words(bytes)}`
  MADE.set(kind + bytes, made)
  return made
}

/** At the beginning or at the end of the body. */
const PADDED = {
  'prose before': (json: string, bytes: number) => `{${padding('prose', bytes)},${json.slice(1)}`,
  'words before': (json: string, bytes: number) => `{${padding('words', bytes)},${json.slice(1)}`,
  'prose behind': (json: string, bytes: number) => `${json.slice(0, -1)},${padding('prose', bytes)}}`,
  'words behind': (json: string, bytes: number) => `${json.slice(0, -1)},${padding('words', bytes)}}`,
}
type Padded = keyof typeof PADDED

const KIB = 1024
const PLACES = Object.keys(PADDED) as Padded[]
const ESCAPES = Object.keys(ESCAPED) as Escaped[]

/** Every size; of the long ones not every place and kind of escape with each request, but each by turns. */
function* variants(turn: number): Generator<[place: Padded, kib: number, escapes: Escaped]> {
  for (const kib of [1, 5, 20]) for (const place of PLACES) for (const escapes of ESCAPES) yield [place, kib, escapes]
  for (const [index, place] of PLACES.entries()) yield [place, 200, ESCAPES[(index + turn) % 2] ?? 'nothing']
  yield [PLACES[turn % 4] ?? 'prose before', 5 * KIB, ESCAPES[(turn >> 2) % 2] ?? 'nothing']
}

function expectEverywhere(id: Id, json: string, expected: Record<string, unknown>, turn: number): void {
  for (const escapes of ESCAPES)
    expect([json, escapes, verdict(id, ESCAPED[escapes](json))]).toEqual([json, escapes, expected])
  for (const [place, kib, escapes] of variants(turn)) {
    const seen = verdict(id, PADDED[place](ESCAPED[escapes](json), kib * KIB))
    expect([json, place, kib, escapes, seen]).toEqual([json, place, kib, escapes, expected])
  }
}

describe.each(IDS)('%s', (id) => {
  test.each(GUARDED[id].map((json, turn) => [json, turn] as const))('%s', (json, turn) => {
    expectEverywhere(id, json, verdict(id, json), turn)
  })

  test.each(WRONG_NAMES[id].map((json, turn) => [json, turn] as const))('400: %s', (json, turn) => {
    const expected = verdict(id, json)
    expect(expected).toMatchObject({ code: 'bad_request' })
    expectEverywhere(id, json, expected, turn)
  })

  test.each(FREE_NAMES[id].map((json, turn) => [json, turn] as const))('accepted: %s', (json, turn) => {
    const expected = verdict(id, json)
    expect(expected).not.toHaveProperty('code')
    expectEverywhere(id, json, expected, turn)
  })
})

describe('what is not valid inside of a string is rejected at every size and place', () => {
  const INVALID: [string, number[]][] = [
    ['an unknown escape', [0x5c, 0x78]],
    ['an escape of three digits', [...bytesOf('\\u00e.')]],
    ['an escape with a letter beyond f', [...bytesOf('\\u00g0')]],
    ['a line break', [0x0a]],
    ['a NUL', [0]],
    ['a control character', [0x1f]],
    ['half a character of UTF-8', [0xc3]],
    ['a byte that is none of UTF-8', [0xff]],
    ['a surrogate in UTF-8', [0xed, 0xa0, 0x80]],
    ['more bytes than a character needs', [0xc0, 0x80]],
  ]
  const BODIES: Readonly<Record<Id, string>> = {
    chat: '{"model":"m","messages":[{"role":"user","content":"VALUE"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"NAME":1}}}]}',
    responses: '{"model":"m","input":"VALUE","tools":[{"type":"function","name":"f","parameters":{"NAME":1}}]}',
    messages:
      '{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"VALUE"}],"tools":[{"name":"f","input_schema":{"type":"object","NAME":1}}]}',
    'generate-content':
      '{"contents":[{"parts":[{"text":"VALUE"}]}],"tools":[{"functionDeclarations":[{"name":"f","parameters":{"NAME":1}}]}]}',
  }

  test.each(IDS)('%s', (id) => {
    let turn = 0
    for (const kib of [0, 1, 5, 20, 200])
      for (const place of PLACES)
        for (const [what, bytes] of INVALID)
          for (const where of ['VALUE', 'NAME']) {
            const json = PADDED[place](BODIES[id], kib * KIB)
            const at = json.indexOf(where) + (turn++ % where.length)
            const body = Buffer.concat([bytesOf(json.slice(0, at)), Buffer.from(bytes), bytesOf(json.slice(at))])
            expect([what, where, place, kib, verdict(id, body)]).toEqual([
              what,
              where,
              place,
              kib,
              { code: 'bad_request', param: undefined },
            ])
          }
  })

  test.each(IDS)('%s: lone surrogates pass where they are escaped', (id) => {
    for (const kib of [0, 20, 200])
      for (const place of PLACES) {
        const json = PADDED[place](BODIES[id].replace('VALUE', 'a\\ud800\\uDFFF\\/\\b\\f\\n\\r\\t\\"\\\\'), kib * KIB)
        expect(verdict(id, json)).not.toHaveProperty('code')
      }
  })
})

test('many tools with unknown members take no longer than others', () => {
  const tools = Array.from(
    { length: 40_000 },
    (_, index) => `{"type":"function","function":{"name":"f"},"x${index}":1}`,
  )
  expect(
    verdict('chat', `{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[${tools.join()}]}`),
  ).toMatchObject({ model: 'm', priced: [] })
})

test('a tool has at most 64 members', () => {
  const body = (count: number) => {
    const members = Array.from({ length: count - 2 }, (_, index) => `"x${index}":1`)
    return `{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f"},${members.join()}}]}`
  }
  expect(verdict('chat', body(64))).not.toHaveProperty('code')
  expect(verdict('chat', body(65))).toEqual({ code: 'bad_request', param: 'tools[0].x62' })
})
