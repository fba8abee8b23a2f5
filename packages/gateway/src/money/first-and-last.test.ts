// A request's first step and its last ones on its node: what is sent when, how often, and what stands in the journal instead.
import { expect, test } from 'bun:test'
import { type Hold, type Result, rejected, type Settle, STALE_AFTER_MS } from './ledger.ts'
import {
  begin,
  beginFinish,
  type Event,
  isApplied,
  mayDispatch,
  restoring,
  type Settlement,
  step,
} from './settlement.ts'

const owner = { id: 7n, nodeId: 3, epoch: 2 }
const hold: Hold = {
  verb: 'hold',
  ...owner,
  account: 1n,
  key: 2n,
  revision: 0,
  extensible: true,
  amount: 100n,
  minimum: 1n,
  tokens: 50,
  minimumTokens: 10,
  model: 'm',
  upstream: 'u',
}
const settle: Settle = { verb: 'settle', ...owner, cost: 40n, tokens: 9, outcome: 'completed', receipt: '{}' }
const voided = (outcome: string) => ({ verb: 'void', ...owner, outcome, receipt: '' }) as const
const done = (amount: bigint, tokens = 0): Result => ({ verdict: 'done', amount, tokens, change: 0n })
const held = (result: Result, mayDispatch = true): Event => ({ event: 'response', verb: 'hold', result, mayDispatch })
const finished = (result: Result): Event => ({ event: 'response', verb: 'finish', result })
const SILENT: Event = { event: 'no-response', verb: 'finish' }
const after = (state: Settlement, event: Event, now = 0) => step(state, event, () => now)

test('a hold is sent at once, and the upstream is called when it is placed', () => {
  const { state, commands } = begin(hold)
  expect(commands).toEqual([{ do: 'send', verb: hold, pauseMs: 0 }])
  const open = after(state, held(done(80n, 40)))
  expect(open.commands).toEqual([{ do: 'dispatch', granted: 80n, tokens: 40 }])
  expect(open.state).toMatchObject({ phase: 'open', owner, held: 80n, heldTokens: 40, progress: 0n })
  expect(after(state, held({ ...done(80n, 40), verdict: 'repeated' })).commands).toEqual(open.commands)
  // The response to something else is none to the hold.
  expect(after(state, finished(done(1n)))).toEqual({ state, commands: [] })
  expect(after(state, SILENT)).toEqual({ state, commands: [] })
})

test('a hold that is rejected, or is placed too late, ends the request without a call', () => {
  const { state } = begin(hold)
  expect(after(state, held(rejected('no_balance', 5n)))).toEqual({
    state: { phase: 'over' },
    commands: [{ do: 'reject', verdict: 'no_balance', available: 5n }],
  })
  expect(after(state, held(done(80n), false), 400)).toEqual({
    state: { phase: 'finishing', verb: voided('node_lost'), tries: 1, since: 400 },
    commands: [
      { do: 'reject', verdict: 'node_lost', available: 0n },
      { do: 'send', verb: voided('node_lost'), pauseMs: 0 },
    ],
  })
})

test('a hold without a response is voided by the journal, which nobody waits for', () => {
  const { state } = begin(hold)
  expect(after(state, { event: 'no-response', verb: 'hold' })).toEqual({
    state: { phase: 'over' },
    commands: [
      { do: 'reject', verdict: 'store_down', available: 0n },
      { do: 'spool', verb: voided('store_down'), awaited: false },
    ],
  })
})

test('a node dispatches until its last renewal is stale, to the millisecond', () => {
  expect(mayDispatch(1_000, 1_000)).toBe(true)
  expect(mayDispatch(1_000, 999 + STALE_AFTER_MS)).toBe(true)
  expect(mayDispatch(1_000, 1_000 + STALE_AFTER_MS)).toBe(false)
})

test('an outcome is sent three times, with growing pauses, and then goes to the journal', () => {
  const first = beginFinish(settle, 0)
  expect(first.commands).toEqual([{ do: 'send', verb: settle, pauseMs: 0 }])
  const second = after(first.state, SILENT, 100)
  expect(second.commands).toEqual([{ do: 'send', verb: settle, pauseMs: 50 }])
  const third = after(second.state, SILENT, 200)
  expect(third.commands).toEqual([{ do: 'send', verb: settle, pauseMs: 100 }])
  const last = after(third.state, SILENT, 300)
  expect(last.commands).toEqual([{ do: 'spool', verb: settle, awaited: true }])
  expect(after(last.state, SILENT, 400).commands).toEqual([])
  expect(after(last.state, { event: 'journaled' })).toEqual({
    state: { phase: 'over' },
    commands: [{ do: 'release', charged: 40n, spooled: true }],
  })
  expect(after(last.state, { event: 'journal-failed' })).toEqual({
    state: { phase: 'over' },
    commands: [{ do: 'withhold' }],
  })
})

test('an outcome that took two seconds is not sent again', () => {
  const { state } = beginFinish(settle, 1_000)
  expect(after(state, SILENT, 2_999).commands.map((command) => command.do)).toEqual(['send'])
  expect(after(state, SILENT, 3_000).commands.map((command) => command.do)).toEqual(['spool'])
})

test('the journaled end of what was free charges nothing', () => {
  let { state } = beginFinish(voided('aborted'), 0)
  for (const now of [1, 2, 3]) state = after(state, SILENT, now).state
  expect(after(state, { event: 'journaled' }).commands).toEqual([{ do: 'release', charged: 0n, spooled: true }])
})

test('the last byte is sent with what the store has charged', () => {
  const { state } = beginFinish(settle, 0)
  const release = (charged: bigint) => [{ do: 'release', charged, spooled: false }]
  expect(after(state, finished(done(40n))).commands).toEqual(release(40n) as never)
  expect(after(state, finished({ ...done(40n), verdict: 'repeated' })).commands).toEqual(release(40n) as never)
  expect(after(state, finished(rejected('not_open', 40n))).commands).toEqual(release(0n) as never)
  expect(after(state, { event: 'response', verb: 'extend', result: done(1n) }).commands).toEqual([])
  expect(after(state, { event: 'no-response', verb: 'extend' }).commands).toEqual([])
  expect(after(state, { event: 'journaled' }).commands).toEqual([])
})

test('a settlement that the database does not know is entered again where it says whom it charges', () => {
  const unknown = rejected('unknown_request')
  const payer = { account: 1n, key: 2n }
  const { state } = beginFinish({ ...settle, ...payer }, 0)
  expect(after(state, finished(unknown)).commands).toEqual([
    { do: 'spool', verb: { ...settle, ...payer }, awaited: true },
  ])
  expect(after(beginFinish(settle, 0).state, finished(unknown)).commands).toEqual([
    { do: 'release', charged: 0n, spooled: false },
  ])
  expect(restoring({ ...settle, ...payer, model: 'm', upstream: 'u' }, unknown)).toEqual({
    verb: 'restore',
    ...owner,
    ...payer,
    model: 'm',
    upstream: 'u',
  })
  expect(restoring({ ...settle, ...payer }, unknown)).toMatchObject({ model: '', upstream: '' })
  for (const verb of [settle, { ...settle, account: 1n }, { ...settle, key: 2n }, voided('aborted')])
    expect(restoring(verb, unknown)).toBeUndefined()
  expect(restoring({ ...settle, ...payer }, rejected('not_open'))).toBeUndefined()
})

test('the void of a hold that may still arrive stays in the journal for half a minute', () => {
  const unknown = rejected('unknown_request')
  expect(isApplied(voided('store_down'), unknown, 29_999)).toBe(false)
  expect(isApplied(voided('store_down'), unknown, 30_000)).toBe(true)
  expect(isApplied(voided('store_down'), done(0n), 0)).toBe(true)
  expect(isApplied(settle, unknown, 0)).toBe(true)
})
