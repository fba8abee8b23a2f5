import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { bytesOf, bufferCodec as codec } from '../../../../fixtures/buffer-codec.ts'
import { isObject } from '../../../canonical/reading.ts'
import { decodeRequest } from '../request/decode-request.ts'
import { isPlain } from './plain-request.ts'
import { readChatRequest } from './request.ts'
import { vendorObjects } from './vendor-fields.ts'

const SAID = { role: 'user', content: 'hi' }
const plain = { model: 'm', messages: [{ role: 'system', content: '' }, SAID], temperature: 0, max_tokens: 5, n: null }

type Body = { messages?: object[]; stream_options?: object }
const PLACES: [inside: (body: Body) => object | undefined, name: string][] = [
  ...'model messages stream stream_options temperature top_p n max_tokens max_completion_tokens seed'
    .split(' ')
    .map((name): [(body: Body) => object, string] => [(body) => body, name]),
  [({ stream_options }) => stream_options, 'include_usage'],
  [({ messages }) => messages, '0'],
  ...['role', 'content', 'name'].map((name): [(body: Body) => object | undefined, string] => [
    ({ messages }) => messages?.[0],
    name,
  ]),
]

describe('a plain request', () => {
  test('is texts and settings', () => {
    expect(isPlain(plain)).toBe(true)
    expect(isPlain({ ...plain, stream: true, stream_options: { include_usage: true }, top_p: 1 })).toBe(true)
  })

  test.each([
    [undefined],
    [[]],
    [{ model: 'm' }],
    [{ ...plain, tools: [] }],
    [{ ...plain, user: 'somebody' }],
    [{ ...plain, messages: ['hi'] }],
    [{ ...plain, messages: [SAID, { role: 'tool', content: 'x', tool_call_id: 'a' }] }],
    [{ ...plain, messages: [{ ...SAID, name: 'Ann' }] }],
    [{ ...plain, messages: [{ role: 'user' }] }],
    [{ ...plain, messages: [{ role: 'wizard', content: 'x' }] }],
    [{ ...plain, messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] }],
    [{ ...plain, messages: [{ role: 'assistant', content: null }] }],
  ])('and nothing else: %j', (body) => {
    expect(isPlain(body)).toBe(false)
  })

  test('that is accepted has no error, and names no object', () => {
    const odd = fc.oneof(fc.constantFrom(null, true, '', 'x', -1, 0, 0.5, 1e9, [], {}), fc.string({ unit: 'binary' }))
    const settings = fc.record(
      {
        stream: fc.boolean(),
        stream_options: fc.record({ include_usage: fc.boolean() }),
        temperature: fc.constantFrom(0, 2),
        top_p: fc.constantFrom(0, 1),
        n: fc.constantFrom(1, 2),
        max_tokens: fc.constantFrom(1, 10),
        max_completion_tokens: fc.constantFrom(1, 10),
      },
      { requiredKeys: [] },
    )
    const role = fc.constantFrom('system', 'developer', 'user', 'assistant')
    const messages = fc.array(fc.record({ role, content: fc.string() }), { minLength: 1 })
    /** What is put where something else was, or was not. */
    const changes = fc.array(fc.tuple(fc.constantFrom(...PLACES), odd), { maxLength: 2 })
    const body = fc.tuple(settings, messages, changes).map(([members, said, changed]) => {
      const value = { model: 'm', ...members, messages: said }
      for (const [[inside, name], instead] of changed) {
        const place: unknown = inside(value)
        if (isObject(place) || Array.isArray(place)) Object.assign(place, { [name]: structuredClone(instead) })
      }
      return value
    })
    let seen = 0
    fc.assert(
      fc.property(body, (value) => {
        if ('code' in readChatRequest(bytesOf(JSON.stringify(value)), codec)) return
        const parsed = JSON.parse(JSON.stringify(value))
        if (!isPlain(parsed)) return
        seen++
        const request = decodeRequest(parsed)
        expect(request).toMatchObject({ tools: [], hostedTools: [], untranslated: [] })
        expect(vendorObjects(parsed)).toEqual([])
      }),
      { numRuns: 3_000 },
    )
    expect(seen).toBeGreaterThan(100)
  })
})
