import { expect, test } from 'bun:test'
import { newSpanId, newTraceId, parentIn, passOn } from './context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const VALID = `00-${TRACE}-${SPAN}-01`

const parent = (traceparent: string | null, tracestate: string | null = null) =>
  parentIn({ get: (name) => (name === 'traceparent' ? traceparent : tracestate) })

test.each([
  ['sampled', VALID, true],
  ['not sampled', `00-${TRACE}-${SPAN}-00`, false],
  ['other flags', `00-${TRACE}-${SPAN}-02`, false],
  ['a later version', `01-${TRACE}-${SPAN}-01`, true],
  ['a later version with more fields', `cc-${TRACE}-${SPAN}-01-what-the-future-holds`, true],
])('%s: %s is valid', (_, header, isSampled) => {
  expect(parent(header)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled, header, state: undefined })
})

test.each([
  ['none', null],
  ['empty', ''],
  ['version ff', `ff-${TRACE}-${SPAN}-01`],
  ['version 00 with more fields', `${VALID}-01`],
  ['a later version that goes on without a dash', `01-${TRACE}-${SPAN}-01.5`],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['upper case', VALID.toUpperCase()],
  ['too short', VALID.slice(0, -1)],
  ['sent twice', `${VALID}, ${VALID}`],
  ['no hexadecimal digits', VALID.replace('4bf9', '4bfg')],
  ['too long', `01-${TRACE}-${SPAN}-01-${'x'.repeat(300)}`],
])('%s: not valid', (_, header) => {
  expect(parent(header)).toBeUndefined()
})

test.each([
  ['vendor=value,other=1', 'vendor=value,other=1'],
  ['x'.repeat(513), undefined],
  ['a=\u0007', undefined],
])('the state %j is passed on as %j', (state, expected) => {
  expect(parent(VALID, state)?.state).toBe(expected)
})

test('an upstream gets the context of the call, or of the caller where tracing is off', () => {
  const caller = parent(VALID, 'vendor=value')
  const passed = (own: Parameters<typeof passOn>[0]['own'], spanId: string | undefined) => {
    const headers: Record<string, string> = {}
    passOn({ parent: caller, own }, spanId, headers)
    return headers
  }
  expect(passed(undefined, undefined)).toEqual({ traceparent: VALID, tracestate: 'vendor=value' })
  const own = { traceId: TRACE, spanId: '1'.repeat(16), isSampled: false }
  expect(passed(own, '2'.repeat(16))).toEqual({
    traceparent: `00-${TRACE}-${'2'.repeat(16)}-00`,
    tracestate: 'vendor=value',
  })
})

test('ids are random: none comes twice, also when the random bytes are drawn anew', () => {
  const ids = Array.from({ length: 5_000 }, (_, place) => (place % 2 === 0 ? newTraceId() : newSpanId()))
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^([0-9a-f]{16}|[0-9a-f]{32})$/)
})
