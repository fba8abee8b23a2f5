// Reasoning that is put into messages as they pass through: every other byte stays.
import { expect, test } from 'bun:test'
import { bufferCodec, bytesOf, textOfPieces } from '../../../../fixtures/buffer-codec.ts'
import { passThrough } from '../pass-through.ts'

const read = (body: string) => passThrough.readRequest(bytesOf(body), bufferCodec, undefined)
const CALL = '{"id":"a","type":"function","function":{"name":"wind","arguments":"{}"}}'
const body = (assistant: string, more = '') =>
  `{"model":"m" , "messages":[ {"role":"user","content":"hi"} ,\n ${assistant}, {"role":"tool","tool_call_id":"a","content":"5"}]${more}, "x":1.0}`

test.each([
  ['none', `{"role":"assistant","content":null,"tool_calls":[${CALL}]}`, { hasReasoning: false, isSigned: false }],
  ['its own', `{"role":"assistant","reasoning_content":"Hm.","tool_calls":[${CALL}]}`, { hasReasoning: true }],
  ['under another name', `{"role":"assistant","reasoning":"Hm.","tool_calls":[${CALL}]}`, { hasReasoning: true }],
  [
    'a signature',
    `{"role":"assistant","tool_calls":[${CALL.slice(0, -1)},"extra_content":{"google":{"thought_signature":"s"}}}]}`,
    { hasReasoning: false, isSigned: true },
  ],
])('a message with calls and %s', (_, assistant, expected) => {
  for (const padding of ['', `,"pad":"${'x'.repeat(20_000)}"`])
    expect(read(body(assistant, padding)).calledMessages?.()).toMatchObject([
      { index: 1, calls: [{ id: 'a', name: 'wind', arguments: '{}' }], ...expected },
    ])
})

test('a long body is scanned, and says the same as a parsed one', () => {
  const call = (id: string) => `{"id":"${id}","type":"function","function":{"name":"wind","arguments":"{}"}}`
  const messages = [
    '{"role":"system","content":"say \\"tool_calls\\": [ ] } , {"}',
    `{"role":"assistant","tool_calls":[${call('a')},${call('b')}]}`,
    '{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"\u2014 5"}]}',
    `{"role":"user","content":"hi","tool_calls":[${call('c')}]}`,
    `{"content":null,"tool\\u005fcalls":[${call('d')}],"role":"assistant","reasoning_content":"Hm."}`,
    '{"role":"assistant","content":"done","tool_calls":[]}',
  ]
  const bodyOf = (words: string) => `{"model":"m","messages":[${messages.join(' , ').replace('"hi"', `"${words}"`)}]}`
  const [short, long] = [read(bodyOf('hi')), read(bodyOf('hi '.repeat(10_000)))].map((each) => each.calledMessages?.())
  expect(short?.map(({ index, calls }) => [index, calls.map(({ id }) => id)])).toEqual([
    [1, ['a', 'b']],
    [4, ['d']],
  ])
  expect(long).toEqual(short)
})

test.each([
  ['no calls', '{"role":"assistant","content":"hm"}'],
  ['an empty list', '{"role":"assistant","content":"hm","tool_calls":[]}'],
])('a message with %s', (_, assistant) => {
  expect(read(body(assistant)).calledMessages?.()).toEqual([])
})

test.each([
  [
    'added',
    `{"role":"assistant","tool_calls":[${CALL}] }`,
    `{"role":"assistant","tool_calls":[${CALL}],"reasoning_content":"\\"Hm\\" 🙂" }`,
  ],
  [
    'replaced',
    `{"reasoning_content":null,"role":"assistant","tool_calls":[${CALL}]}`,
    `{"reasoning_content":"\\"Hm\\" 🙂","role":"assistant","tool_calls":[${CALL}]}`,
  ],
])('is %s', (_, assistant, expected) => {
  const edited = textOfPieces(read(body(assistant)).edited({ reasoning: new Map([[1, '"Hm" 🙂']]) }))
  expect(JSON.parse(edited)).toEqual(JSON.parse(body(expected)))
  expect(edited).toContain(expected)
  expect(edited).toEndWith(', "x":1.0}')
})
