import { describe, expect, test } from 'bun:test'
import {
  begin,
  decodedFrames,
  ending,
  halt,
  over,
  SHORT,
  start,
  usage,
  type WireObject,
  words,
} from '../../../../fixtures/messages/answers.ts'
import { fold } from '../../../canonical/reply.ts'
import type { Usage } from '../../../canonical/usage.ts'

const emptyText = { type: 'text', text: '' }

describe('usage', () => {
  const figures = (input_tokens: number, read: number, write: number): WireObject => ({
    input_tokens,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: write,
  })
  const CASES: [
    what: string,
    first: WireObject | undefined,
    last: WireObject | undefined,
    expected: Usage | undefined,
  ][] = [
    [
      'at both ends: the last word counts',
      { ...figures(2, 0, 9), output_tokens: 1 },
      { ...figures(6, 20, 9), output_tokens: 5 },
      usage({ input: 35, cachedInput: 20, cacheWrite: 9, output: 5 }),
    ],
    [
      'only output at the end',
      { ...figures(2, 3, 4), output_tokens: 1 },
      { output_tokens: 5 },
      usage({ input: 9, cachedInput: 3, cacheWrite: 4, output: 5 }),
    ],
    ['only at the end', undefined, { input_tokens: 8, output_tokens: 5 }, usage({ input: 8, output: 5 })],
    [
      'zeros at the start, the truth at the end',
      { input_tokens: 0, output_tokens: 0 },
      { ...figures(4, 9, 0), output_tokens: 5 },
      usage({ input: 13, cachedInput: 9, cacheWrite: 0, output: 5 }),
    ],
    [
      'the truth at the start, zeros at the end',
      { ...figures(4, 9, 0), output_tokens: 1 },
      { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5 },
      usage({ input: 13, cachedInput: 9, cacheWrite: 0, output: 5 }),
    ],
    [
      'zeros at both ends: it was free',
      { ...figures(0, 0, 0), output_tokens: 0 },
      { ...figures(0, 0, 0), output_tokens: 0 },
      usage({ input: 0, cachedInput: 0, cacheWrite: 0, output: 0 }),
    ],
    [
      'zeros at the start, nothing at the end: place holders are no figures',
      { input_tokens: 0, output_tokens: 0 },
      undefined,
      undefined,
    ],
    [
      'an estimate at the start, all from a cache in truth',
      { input_tokens: 33, output_tokens: 1 },
      { ...figures(0, 64, 0), output_tokens: 5 },
      usage({ input: 64, cachedInput: 64, cacheWrite: 0, output: 5 }),
    ],
    [
      'zeros from the start to the end: that is what it cost',
      { ...figures(0, 0, 0), output_tokens: 0 },
      { ...figures(0, 0, 0), output_tokens: 0 },
      usage({ input: 0, cachedInput: 0, cacheWrite: 0, output: 0 }),
    ],
    ['zeros at the start alone are no figures', figures(0, 0, 0), { output_tokens: 5 }, usage({ output: 5 })],
    [
      'only at the start: a place holder is no figure',
      { input_tokens: 8, output_tokens: 1 },
      undefined,
      usage({ input: 8 }),
    ],
    [
      'only at the start, all of it',
      { input_tokens: 8, output_tokens: 40 },
      undefined,
      usage({ input: 8, output: 40 }),
    ],
    [
      'reasoning among the output',
      { input_tokens: 8, output_tokens: 1 },
      { output_tokens: 40, output_tokens_details: { thinking_tokens: 12 } },
      usage({ input: 8, output: 40, reasoning: 12 }),
    ],
    [
      'cache writes by lifetime',
      {
        input_tokens: 8,
        output_tokens: 1,
        cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 4 },
      },
      { output_tokens: 2 },
      usage({ input: 15, cacheWrite: 7, cacheWriteLong: 4, output: 2 }),
    ],
    [
      'null is unknown',
      { input_tokens: null, output_tokens: null },
      { output_tokens: 2, input_tokens: null },
      usage({ output: 2 }),
    ],
    ['nothing', undefined, undefined, undefined],
    ['nonsense is left out', { input_tokens: -5, output_tokens: 1 }, { output_tokens: 2.5 }, usage({ absurd: true })],
  ]
  test.each(CASES)('%s', (_, first, last, expected) => {
    const frames = [
      start({ usage: first }),
      begin(0, emptyText),
      words(0, 'x'),
      halt(0),
      ending('end_turn', last),
      over,
    ]
    expect(fold(decodedFrames(frames)).usage).toEqual(expected)
  })

  test('several reports, one of them inside the delta: one final figure', () => {
    const nested = ending('end_turn', undefined, { usage: { output_tokens: 9 } })
    const events = decodedFrames([...SHORT.slice(0, 5), ending(null, { output_tokens: 3 }), nested, over])
    expect(events.filter(({ type }) => type === 'usage')).toEqual([
      { type: 'usage', usage: usage({ input: 61, output: 9, cachedInput: 0, cacheWrite: 0 }) },
    ])
  })
})

describe('why it ended', () => {
  test.each([
    ['end_turn', 'end'],
    ['max_tokens', 'length'],
    ['tool_use', 'tool'],
    ['pause_turn', 'pause'],
    ['refusal', 'filter'],
    ['model_context_window_exceeded', 'context'],
    ['constructor', 'other'],
  ])('%s', (raw, reason) => {
    const events = decodedFrames([...SHORT.slice(0, 5), ending(raw, {}), over])
    expect(events.at(-2)).toEqual({ type: 'stop', choice: 0, stop: { raw, reason } as never })
  })

  test('with the sequence, or the explanation', () => {
    const sequence = ending('stop_sequence', {}, { stop_sequence: 'END' })
    expect(fold(decodedFrames([start(), sequence, over])).choices[0]?.stop).toEqual({
      raw: 'stop_sequence',
      reason: 'stop_sequence',
      sequence: 'END',
    })
    const refusal = ending('refusal', {}, { stop_details: { type: 'refusal', category: 'bio', explanation: 'No.' } })
    expect(fold(decodedFrames([start(), refusal, over])).choices[0]?.stop).toMatchObject({ detail: 'No.' })
  })

  test('an end without a reason is an end', () => {
    const events = decodedFrames([...SHORT.slice(0, 5), over])
    expect(events.at(-1)).toEqual({ type: 'end' })
    expect(events.some(({ type }) => type === 'stop')).toBe(false)
  })

  test('a reason without an end is an end', () => {
    expect(decodedFrames(SHORT.slice(0, -1)).slice(-2)).toEqual(decodedFrames(SHORT).slice(-2))
  })
})
