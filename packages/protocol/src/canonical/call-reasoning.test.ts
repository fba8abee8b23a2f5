// Which reasoning belongs to which call, and where it stands when it is put back.
import { describe, expect, test } from 'bun:test'
import { callKey, lacksReasoning, reasonedCalls, withReasoning } from './call-reasoning.ts'
import type { Block } from './reply.ts'
import type { Part, Turn } from './request.ts'

const call = (id: string, text = '{}', more: object = {}) =>
  ({ type: 'call', id, name: 'wind', arguments: text, custom: false, ...more }) as const
const thought = (text: string, signature?: string) =>
  ({ type: 'reasoning', text, style: 'full', ...(signature === undefined ? {} : { signature }) }) as const
const said = (text: string): Block => ({ type: 'text', text, citations: [] })
const seal = (signature: string) => `gw1.${signature}`

describe('a call has the reasoning that stood before it, up to the call before', () => {
  test.each<[string, Block[], unknown[]]>([
    ['none', [said('Hm.'), call('a')], []],
    ['reasoning that says nothing', [thought(''), call('a')], []],
    ['without a call', [thought('Hm.', 's')], []],
    [
      'before parallel calls',
      [thought('Hm.', 's'), call('a'), call('b')],
      [['a', [thought('Hm.', 'gw1.s')], undefined]],
    ],
    [
      'between calls',
      [thought('One.', 's'), said('So.'), call('a'), { type: 'redacted', data: 'd' }, call('b')],
      [
        ['a', [thought('One.', 'gw1.s')], undefined],
        ['b', [{ type: 'redacted', data: 'gw1.d' }], undefined],
      ],
    ],
    ['on the call itself', [call('a', '{}', { signature: 's' }), call('b')], [['a', [], 'gw1.s']]],
  ])('%s', (_, blocks, expected) => {
    const found = reasonedCalls(blocks, seal)
    expect(found.map(({ call: { id }, reasoning }) => [id, reasoning.before, reasoning.signature])).toEqual(
      expected as never,
    )
  })
})

test.each<[string, boolean, string, string]>([
  ['white space', true, '{"a":1,"b":[2]}', '{ "a": 1,\n "b": [ 2 ] }'],
  ['the order of fields', true, '{"a":1,"b":{"c":1,"d":2}}', '{"b":{"d":2,"c":1},"a":1}'],
  ['no arguments at all', true, '', '{}'],
  ['another value', false, '{"a":1}', '{"a":2}'],
  ['the order of a list', false, '[1,2]', '[2,1]'],
  ['an object and a list of its fields', false, '{"a":1}', '[["a",1]]'],
  ['a field called __proto__', false, '{"__proto__":1}', '{}'],
  ['text that is not JSON', false, 'ls -l', 'ls  -l'],
])('%s: the same call: %p', (_, isSame, one, other) => {
  expect(callKey(call('a', one)) === callKey(call('a', other))).toBe(isSame)
})

test('arguments nested without end are compared as they are', () => {
  const deep = '['.repeat(500_000) + ']'.repeat(500_000)
  expect(callKey(call('a', deep))).toContain('[[[')
})

describe('putting back', () => {
  const turn = (...parts: Part[]): Turn => ({ role: 'assistant', parts })
  const kept = { before: [thought('Hm.', 'gw1.s')], signature: 'gw1.c' }
  const put = (one: Turn, form: 'text' | 'signed' = 'signed') =>
    withReasoning([one], form, ({ id }) => (id === 'a' ? kept : undefined))[0]?.parts
  const signed = (id: string) => call(id, '{}', { signature: 'gw1.c' })
  const text = (words: string): Part => ({ type: 'text', text: words })

  test.each<[string, Turn, Part[]]>([
    ['before what was said with the call', turn(text('So.'), call('a')), [...kept.before, text('So.'), signed('a')]],
    ['behind the call before', turn(call('b'), call('a')), [call('b'), ...kept.before, signed('a')]],
    ["instead of the client's copy", turn(thought('Hm.'), call('a')), [...kept.before, signed('a')]],
    ['nothing that is not found', turn(thought('Hm.'), call('b')), [thought('Hm.'), call('b')]],
    [
      'nothing where there is a signature',
      turn(thought('Hm.', 'gw1.x'), call('a')),
      [thought('Hm.', 'gw1.x'), call('a')],
    ],
  ])('%s', (_, one, expected) => {
    expect(put(one)).toEqual(expected)
  })

  test('text is missing only where there is none', () => {
    expect(lacksReasoning(turn(thought('Hm.'), call('a')), 'text')).toBe(false)
    expect(lacksReasoning(turn(thought('', 'gw1.x'), call('a')), 'text')).toBe(true)
    expect(lacksReasoning(turn(text('Hm.')), 'text')).toBe(false)
    expect(lacksReasoning({ role: 'user', parts: [] }, 'signed')).toBe(false)
  })
})
