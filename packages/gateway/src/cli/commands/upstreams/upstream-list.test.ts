import { expect, test } from 'bun:test'
import type { Upstream } from '../../../config/types.ts'
import { aboutOf } from '../../../operate/upstreams/state.ts'
import type { KeyReport } from '../../../upstreams/health/health.ts'
import { listUpstreams } from './upstream-list.ts'

const WELL: KeyReport = {
  key: '...3456',
  state: 'ready',
  waitMs: undefined,
  cooling: [],
  reason: undefined,
  inFlight: 0,
  latencyMs: 12.3,
  failures: 0,
  isKnown: true,
}

const main: Upstream = {
  id: 'main',
  kind: 'custom',
  dialect: 'chat',
  endpoints: [],
  baseUrl: 'http://127.0.0.1:1/v1',
  keys: ['key-123456'],
  maxConcurrency: undefined,
  proxy: undefined,
  timeouts: { firstByteMs: 1, idleMs: 1, totalMs: 1 },
  allowPrivate: false,
  sharedObjects: false,
  billsOnAbort: 'nothing',
}

test.each<[string, Partial<KeyReport>, string]>([
  ['a key that is well', {}, '...3456 ready'],
  ['a model that cools', { cooling: [{ model: 'm', waitMs: 6_200 }] }, '...3456 ready, m cooling for 7 s'],
  ['a key that cools', { state: 'cooling', waitMs: 1_000 }, '...3456 cooling for 1 s'],
  ['an open breaker', { state: 'open', waitMs: 3_999 }, '...3456 open for 4 s'],
  ['a breaker that waits for its probe', { state: 'open', waitMs: 0 }, '...3456 open'],
  ['a rejected key', { state: 'rejected', waitMs: 300_000, reason: '401 no' }, '...3456 rejected for 300 s (401 no)'],
])('%s', (_, report, words) => {
  const states = [{ main: { keys: [{ ...WELL, ...report }], http: null } }]
  const { text } = listUpstreams({ upstreams: new Map([['main', main]]) }, { states })
  expect(text).toEndWith(`  ${words}\n`)
})

test('an upstream that only the server has is listed, with its switch', () => {
  const stored = aboutOf({ ...main, id: 'stored' })
  const states = [{ stored: { keys: [WELL], http: null, switched: 'draining' as const, about: stored } }]
  const { result } = listUpstreams({ upstreams: new Map([['main', main]]) }, { states })
  expect(result).toMatchObject([
    { id: 'stored', base_url: main.baseUrl, keys: 1, switch: 'draining', checks: null },
    { id: 'main', switch: null, key_states: null },
  ])
})

test('of several workers, the worst state is shown', () => {
  const workers: Partial<KeyReport>[] = [
    { inFlight: 2, latencyMs: 20, cooling: [{ model: 'm', waitMs: 1_000 }] },
    { state: 'rejected', waitMs: 60_000, reason: '401 no', inFlight: 1, cooling: [{ model: 'm', waitMs: 3_000 }] },
    { state: 'open', waitMs: 90_000 },
  ]
  const states = workers.map((report, index) => ({
    main: { keys: [{ ...WELL, ...report }], http: index === 1 ? ('2' as const) : null },
  }))
  const { result } = listUpstreams({ upstreams: new Map([['main', main]]) }, { states })
  expect(result).toMatchObject([
    {
      http: '2',
      key_states: [
        {
          key: '...3456',
          state: 'rejected',
          retry_in_ms: 60_000,
          reason: '401 no',
          in_flight: 3,
          latency_ms: 20,
          cooling: [{ model: 'm', retry_in_ms: 3_000 }],
        },
      ],
    },
  ])
})

test('the sandbox model is shown without a dialect, because it has all of them', () => {
  const sandbox: Upstream = { ...main, id: 'sandbox', kind: 'sandbox', embedded: true, dialect: undefined }
  const report = listUpstreams({ upstreams: new Map([['sandbox', sandbox]]) }, { states: [] })
  expect(report.text).toBe('ID       KIND     BASE URL    KEYS\nsandbox  sandbox  (built-in)     1\n')
  expect(report.result).toMatchObject([{ id: 'sandbox', dialect: null }])
})
