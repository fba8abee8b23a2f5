// How a request begins and goes on: what each verb rejects and in which order, and every field that it writes.
import { describe, expect, test } from 'bun:test'
import {
  EXTEND,
  HOLD,
  limits,
  NOW,
  type OpenLedger,
  openLedger,
  owner,
  SETTLE,
  TASK,
} from '../../test-support/ledger.ts'
import {
  type Begin,
  DEAD_AFTER_MS,
  done,
  type Extend,
  HELD,
  type Hold,
  type Restore,
  rejected,
  repeated,
  TASK_NODE,
} from './ledger.ts'

const SECOND = NOW / 1_000
const BEGIN: Begin = { verb: 'begin', ...owner, lease: 1 }
const RESTORE: Restore = { verb: 'restore', ...owner, account: 1n, key: 2n, model: 'm', upstream: 'u' }

test('what is rejected changes nothing, and has nothing to give', () =>
  expect(rejected('node_lost')).toEqual({ verdict: 'node_lost', amount: 0n, tokens: 0, change: 0n }))

describe('hold', () => {
  test('writes a request with all that is known', () => {
    const { run, request, account, key, rows } = openLedger()
    account.limits = limits({ tokensPerMinute: 25, requestsPerMinute: 9 })
    expect(run(HOLD)).toEqual(done(100n, 25))
    expect(request()).toEqual({
      ...owner,
      account: 1n,
      key: 2n,
      deadline: undefined,
      state: HELD,
      held: 100n,
      heldAt: NOW,
      tokens: 25,
      progress: 0n,
      cost: 0n,
      shortfall: 0n,
      model: 'm',
      upstream: 'u',
      upstreamCost: 0n,
      outcome: '',
      receipt: '',
      budgets: [],
      attribution: undefined,
    })
    expect([account.held, key.held, account.meter.open, key.meter.open]).toEqual([100n, 100n, 1, 1])
    expect([account.meter.tokens, account.meter.requests]).toEqual([
      [SECOND, 25],
      [SECOND, 1],
    ])
    expect(rows.transfers).toEqual([])
  })

  test('is repeated by its owner while it is open', () => {
    const { run } = openLedger()
    run(HOLD)
    expect(run(HOLD)).toEqual(repeated(100n, 30))
    expect(run({ ...HOLD, epoch: 2 })).toEqual(rejected('not_open'))
    run(SETTLE)
    expect(run(HOLD)).toEqual(rejected('not_open'))
  })

  test.each<[string, (opened: OpenLedger) => void, Partial<Hold>, ReturnType<typeof rejected>]>([
    ['node_lost', () => {}, { epoch: 2 }, rejected('node_lost')],
    ['node_lost', () => {}, { nodeId: 5 }, rejected('node_lost')],
    ['lease_lost', () => {}, TASK, rejected('lease_lost')],
    ['lease_lost', ({ lease }) => void lease(), { ...TASK, epoch: 2 }, rejected('lease_lost')],
    ['key_invalid', ({ rows }) => void rows.accounts.delete(1n), {}, rejected('key_invalid')],
    ['key_invalid', ({ rows }) => void rows.keys.delete(2n), {}, rejected('key_invalid')],
    ['key_invalid', ({ key }) => void Object.assign(key, { account: 9n }), {}, rejected('key_invalid')],
    ['key_invalid', ({ key }) => void Object.assign(key, { deleted: true }), {}, rejected('key_invalid')],
    ['key_expired', ({ key }) => void Object.assign(key, { expiresAt: NOW }), {}, rejected('key_expired')],
    [
      'account_disabled',
      ({ account }) => void Object.assign(account, { disabled: true }),
      {},
      rejected('account_disabled'),
    ],
    ['key_changed', () => {}, { revision: 1 }, rejected('key_changed')],
    [
      'key_tokens',
      ({ key }) => void Object.assign(key, { limits: limits({ tokensPerMinute: 9 }) }),
      {},
      rejected('key_tokens', 60_000n),
    ],
    [
      'account_tokens',
      ({ account }) => void Object.assign(account, { limits: limits({ tokensPerMinute: 9 }) }),
      {},
      rejected('account_tokens', 60_000n),
    ],
    ['no_balance', ({ account }) => void Object.assign(account, { balance: 99n }), {}, rejected('no_balance', 99n)],
  ])('%s changes nothing', (_, prepare, more, result) => {
    const opened = openLedger()
    prepare(opened)
    const before = structuredClone(opened.rows)
    expect(opened.run({ ...HOLD, ...more })).toEqual(result)
    expect(opened.rows).toEqual(before)
  })

  test('is that of a live node, and that of a task while its lease lasts', () => {
    const { at, lease, task } = openLedger()
    lease()
    expect(at(5_000, task())).toEqual(rejected('lease_lost'))
    expect(at(4_999, task())).toEqual(done(100n, 30))
    expect(at(DEAD_AFTER_MS - 1, { ...HOLD, id: 9n })).toEqual(done(100n, 30))
    expect(at(DEAD_AFTER_MS, { ...HOLD, id: 10n })).toEqual(rejected('node_lost'))
  })

  test('of a task has a deadline, and is no running request', () => {
    const { run, lease, task, request, account, key } = openLedger()
    lease()
    run(task())
    expect(request()).toMatchObject({ nodeId: TASK_NODE, deadline: NOW + 60_000 })
    expect([account.meter.open, key.meter.open]).toEqual([0, 0])
  })
})

describe('extend', () => {
  test('holds more, as it is granted', () => {
    const { run, request, account, key } = openLedger()
    key.limits = limits({ tokensPerMinute: 100 })
    run(HOLD)
    expect(run(EXTEND)).toEqual(done(50n, 25))
    expect(request()).toMatchObject({ held: 150n, tokens: 55, progress: 5n })
    expect([account.held, key.held, key.meter.tokens]).toEqual([150n, 150n, [SECOND, 55]])
    expect(run(EXTEND)).toEqual(repeated(50n))
    expect(run({ ...EXTEND, known: 150n, progress: 4n })).toEqual(done(50n, 25))
    expect(request().progress).toBe(5n)
  })

  test('of a whole response may take all that there is, and one of many steps a sixteenth', () => {
    const whole = openLedger()
    whole.run(HOLD)
    expect(whole.run({ ...EXTEND, amount: 800n, whole: true }).amount).toBe(800n)
    const step = openLedger()
    step.run(HOLD)
    // A sixteenth of the 900 that are left, and the tokens of that part.
    expect(step.run({ ...EXTEND, amount: 800n })).toEqual(done(56n, 2))
  })

  test.each<[string, (opened: OpenLedger) => void, Partial<Extend>, ReturnType<typeof rejected>]>([
    ['unknown_request', () => {}, { id: 8n }, rejected('unknown_request')],
    ['not_open', () => {}, { epoch: 2 }, rejected('not_open')],
    ['not_open', ({ run }) => void run(SETTLE), {}, rejected('not_open')],
    ['key_invalid', ({ rows }) => void rows.accounts.delete(1n), {}, rejected('key_invalid')],
    ['key_invalid', ({ rows }) => void rows.keys.delete(2n), {}, rejected('key_invalid')],
  ])('%s', (_, prepare, more, result) => {
    const opened = openLedger()
    opened.run(HOLD)
    prepare(opened)
    expect(opened.run({ ...EXTEND, ...more })).toEqual(result)
  })

  test('is limited by the tokens of key and account, down to its least', () => {
    for (const whose of ['key', 'account'] as const) {
      const opened = openLedger()
      opened[whose].limits = limits({ tokensPerMinute: 50 })
      opened.run(HOLD)
      // 20 are left: four fifths of the step, with four fifths of its money.
      expect(opened.run(EXTEND)).toEqual(done(40n, 20))
      expect(opened.run({ ...EXTEND, known: 140n })).toEqual(rejected(`${whose}_tokens`, 61_000n))
      expect(opened.request()).toMatchObject({ held: 140n, tokens: 50, progress: 5n })
    }
  })

  test('for as many tokens as are left is all of it', () => {
    const { run, key } = openLedger()
    key.limits = limits({ tokensPerMinute: 55 })
    run(HOLD)
    expect(run(EXTEND)).toEqual(done(50n, 25))
  })
})

describe('begin', () => {
  const queued = () => {
    const opened = openLedger()
    opened.lease()
    opened.run(opened.task())
    return opened
  }

  test('makes the hold of a task that of a node', () => {
    const { run, request, account, key } = queued()
    run({ verb: 'join', nodeId: 0, config: '', takeover: true })
    const begin = { ...BEGIN, epoch: 2 }
    expect(run(begin)).toEqual(done(100n, 30))
    expect(request()).toMatchObject({ nodeId: 0, epoch: 2, deadline: undefined, state: HELD })
    expect([account.meter.open, key.meter.open]).toEqual([1, 1])
    expect(run(begin)).toEqual(repeated(100n, 30))
    expect([account.meter.open, key.meter.open]).toEqual([1, 1])
    expect(run({ ...BEGIN, epoch: 3 })).toEqual(rejected('not_open'))
  })

  test.each<[string, (opened: OpenLedger) => void, Partial<Begin>, ReturnType<typeof rejected>]>([
    ['unknown_request', () => {}, { id: 8n }, rejected('unknown_request')],
    ['not_open', () => {}, { lease: 2 }, rejected('not_open')],
    ['not_open', ({ run }) => void run({ ...SETTLE, ...TASK }), {}, rejected('not_open')],
    ['node_lost', () => {}, { epoch: 2 }, rejected('node_lost')],
    ['key_invalid', ({ rows }) => void rows.accounts.delete(1n), {}, rejected('key_invalid')],
    ['key_invalid', ({ rows }) => void rows.keys.delete(2n), {}, rejected('key_invalid')],
    ['key_invalid', ({ key }) => void Object.assign(key, { deleted: true }), {}, rejected('key_invalid')],
    ['key_expired', ({ key }) => void Object.assign(key, { expiresAt: NOW }), {}, rejected('key_expired')],
    [
      'account_disabled',
      ({ account }) => void Object.assign(account, { disabled: true }),
      {},
      rejected('account_disabled'),
    ],
    [
      'key_concurrent',
      ({ key }) => void Object.assign(key, { limits: limits({ concurrent: 0 }) }),
      {},
      rejected('key_concurrent'),
    ],
    [
      'account_concurrent',
      ({ account }) => void Object.assign(account, { limits: limits({ concurrent: 0 }) }),
      {},
      rejected('account_concurrent'),
    ],
  ])('%s changes nothing', (_, prepare, more, result) => {
    const opened = queued()
    prepare(opened)
    const before = structuredClone(opened.rows)
    expect(opened.run({ ...BEGIN, ...more })).toEqual(result)
    expect(opened.rows).toEqual(before)
  })

  test('is for the key until the millisecond that it expires at', () => {
    const { run, key } = queued()
    key.expiresAt = NOW + 1
    expect(run(BEGIN).verdict).toBe('done')
  })
})

describe('restore', () => {
  test('enters a request again, as running and with nothing held', () => {
    const { run, request, account, key } = openLedger()
    expect(run(RESTORE)).toEqual(done(0n))
    expect(request()).toMatchObject({ ...owner, state: HELD, held: 0n, tokens: 0, deadline: undefined, heldAt: NOW })
    expect([account.meter.open, key.meter.open, account.held]).toEqual([1, 1, 0n])
    expect(run(RESTORE)).toEqual(repeated(0n))
    expect(run(SETTLE)).toEqual(done(40n, 0, 40n))
    expect([account.meter.open, account.balance]).toEqual([0, 960n])
  })

  test('needs somebody to charge', () => {
    for (const prepare of [
      ({ rows }: OpenLedger) => rows.accounts.delete(1n),
      ({ rows }: OpenLedger) => rows.keys.delete(2n),
      ({ key }: OpenLedger) => Object.assign(key, { account: 9n }),
    ]) {
      const opened = openLedger()
      prepare(opened)
      expect(opened.run(RESTORE)).toEqual(rejected('key_invalid'))
      expect(opened.rows.requests.size).toBe(0)
    }
  })
})
