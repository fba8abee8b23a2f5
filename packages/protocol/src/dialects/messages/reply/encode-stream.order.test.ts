import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  begin,
  decoded,
  delta,
  ending,
  expectOrder,
  frame,
  halt,
  json,
  over,
  start,
  words,
} from '../../../../fixtures/messages/answers.ts'

const index = fc.nat(2)
const anything = fc.jsonValue({ maxDepth: 2 })

/** What an upstream could send, in any order, and now and then something that no upstream should. */
const event = fc.oneof(
  { weight: 1, arbitrary: fc.constant(start()) },
  { weight: 4, arbitrary: index.map((at) => begin(at, { type: 'text', text: '' })) },
  { weight: 2, arbitrary: index.map((at) => begin(at, { type: 'thinking', thinking: '', signature: '' })) },
  { weight: 3, arbitrary: index.map((at) => begin(at, { type: 'tool_use', id: `c${at}`, name: 'tide', input: {} })) },
  { weight: 1, arbitrary: index.map((at) => begin(at, { type: 'redacted_thinking', data: 'd' })) },
  { weight: 1, arbitrary: index.map((at) => begin(at, { type: 'server_tool_use', input: {} })) },
  { weight: 6, arbitrary: index.map((at) => words(at, 'a')) },
  { weight: 4, arbitrary: index.map((at) => json(at, '{')) },
  { weight: 2, arbitrary: index.map((at) => delta(at, { type: 'thinking_delta', thinking: 'h' })) },
  { weight: 2, arbitrary: index.map((at) => delta(at, { type: 'signature_delta', signature: 's' })) },
  { weight: 6, arbitrary: index.map(halt) },
  { weight: 1, arbitrary: fc.constantFrom('end_turn', null).map((reason) => ending(reason, { output_tokens: 2 })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('message_start', 'content_block_start', 'content_block_delta', 'message_delta', 'x'),
        anything,
      )
      .map(([type, value]) => ({
        type,
        index: value,
        message: value,
        content_block: value,
        delta: value,
        usage: value,
      })),
  },
)

test('any events in any order: the rules of the canonical stream are kept', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), fc.boolean(), (events, isEnded) => {
      const said = decoded([...events, ...(isEnded ? [over] : [])].map(frame).join(''))
      const last = said.at(-1)
      expect(last?.type).toBeOneOf(['end', 'error'])
      if (last?.type === 'end') expectOrder(said)
    }),
    { numRuns: 500 },
  )
})

test('bytes of any kind never throw', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('data:', 'event: error\n', '\n\n', '{"type":', '"x"}', '[', 'null', '\ufeff', '5')),
      (pieces) => {
        expect(decoded(pieces.join('')).at(-1)?.type).toBe('error')
      },
    ),
  )
})
