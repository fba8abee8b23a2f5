import { expect, test } from 'bun:test'
import { extend, hold, settle, voided } from '../../../contract/storage/harness.ts'
import { MAX_AMOUNT } from '../../money/amount.ts'
import { type Result, taskOwner, type Verb } from '../../money/ledger.ts'
import { MAX_TOKENS } from '../../money/limits.ts'
import { decodeBatch, encodeBatch, roomFor } from './batch.ts'
import {
  LARGEST_BATCH,
  newShared,
  receiveResults,
  receiveVerbs,
  saysPending,
  sendResults,
  sendVerbs,
} from './messages.ts'
import type { VerbResult } from './transactions.ts'

const wallet = { account: 3n, key: 4n, email: '' }
const node = { nodeId: 1023, epoch: 4_294_967_297 }
const LARGEST_ID = (1n << 63n) - 1n
const most = { amount: MAX_AMOUNT, minimum: MAX_AMOUNT - 1n, tokens: MAX_TOKENS }

const verbs: Verb[] = [
  hold(LARGEST_ID, wallet, node, {
    ...most,
    minimumTokens: 7,
    revision: 9,
    extensible: true,
    model: 'é\0🙂',
    upstream: '',
  }),
  hold(7n, wallet, node, {
    budgets: [1n, LARGEST_ID],
    attribution: { tags: ['a', 'é=🙂'], endUser: 'u_1', session: 'ü' },
  }),
  hold(7n, wallet, node, { budgets: Array.from({ length: 8 }, (_, index) => LARGEST_ID - BigInt(index)) }),
  hold(7n, wallet, node, { attribution: { tags: [], endUser: '', session: 's' } }),
  { verb: 'restore', id: 8n, ...node, account: 3n, key: 4n, model: 'm', upstream: 'u' },
  { verb: 'restore', id: 8n, ...node, account: 3n, key: 4n, model: 'm', upstream: 'u', budgets: [5n] },
  hold(1n, { account: LARGEST_ID, key: LARGEST_ID, email: '' }, node),
  extend(2n, node, { ...most, known: 5n, progress: 6n }),
  extend(2n, node, { whole: true }),
  settle(3n, node, MAX_AMOUNT, { tokens: MAX_TOKENS, outcome: 'done', receipt: '{"é":"🙂"}' }),
  voided(4n, node, { outcome: '', receipt: '' }),
  { verb: 'reap', limit: Number.MAX_SAFE_INTEGER },
  settle(9n, node, 7n, { upstream: 'second', upstreamCost: 0n }),
  { verb: 'join', nodeId: 0, config: 'x', takeover: true },
  { verb: 'join', nodeId: 1, config: '', takeover: false },
  { verb: 'renew', ...node, config: 'ü' },
  { verb: 'leave', ...node },
  hold(6n, wallet, taskOwner(6n, 3), { deadline: Number.MAX_SAFE_INTEGER }),
  { verb: 'acquire_lease', lease: 'ü', holder: 'h', ttlMs: 5 },
  { verb: 'acquire_lease', lease: 'ü', holder: 'h', ttlMs: 5, longestMs: 86_400_000 },
  { verb: 'renew_lease', lease: 'job/x', epoch: 2, ttlMs: Number.MAX_SAFE_INTEGER },
  { verb: 'release_lease', lease: '', epoch: 3 },
  { verb: 'begin', id: LARGEST_ID, ...node, lease: 4 },
]

test('a batch is read as what was written, also in the memory of a longer one before', () => {
  const shared = newShared()
  const longest = Array.from({ length: LARGEST_BATCH }, () => verbs[0] as Verb)
  const widest = Array.from({ length: LARGEST_BATCH }, () => verbs[1] as Verb)
  for (const list of [longest, widest, verbs, [...verbs].reverse(), []]) {
    const texts = sendVerbs(shared, list, 1_763_200_000_123)
    const { batch, now } = receiveVerbs(shared, texts)
    expect(decodeBatch(batch)).toEqual(list)
    expect(now).toBe(1_763_200_000_123)
  }
})

test('bytes that are not a batch are rejected', () => {
  const words = new DataView(new ArrayBuffer(8))
  expect(() => decodeBatch({ words, texts: '' })).toThrow('not a verb: 0')
  const whole = encodeBatch(verbs, new DataView(new ArrayBuffer(roomFor(verbs.length)))).words
  const cut = new DataView(whole.buffer, 0, whole.byteLength - 8)
  expect(() => decodeBatch({ words: cut, texts: '' })).toThrow()
})

/** The words in which batches are stored: another order or size would misread what a stopped process has left. */
test('the format of the file', () => {
  const { words, texts } = encodeBatch(
    [settle(5n, { nodeId: 2, epoch: 3 }, 258n, { upstream: 'u', upstreamCost: 3n })],
    new DataView(new ArrayBuffer(roomFor(1))),
  )
  expect(texts).toBe('done{"units":1}u')
  expect(new Uint8Array(words.buffer, 0, words.byteLength).toHex()).toBe(
    [
      '000000000000084005000000000000000000000000000040',
      '0000000000000840',
      '0201000000000000',
      '0000000000000000',
    ].join('') +
      ['0000000000001040', '0000000000002640'].join('') +
      ['000000000000f03f', '000000000000f03f', '0300000000000000'].join(''),
  )
})

const VERDICTS: Record<Result['verdict'], true> = {
  done: true,
  repeated: true,
  no_balance: true,
  key_cap_reached: true,
  account_cap_reached: true,
  member_cap_reached: true,
  budget_reached: true,
  key_invalid: true,
  key_expired: true,
  key_changed: true,
  account_disabled: true,
  node_lost: true,
  node_taken: true,
  commits_lost: true,
  unknown_request: true,
  lease_taken: true,
  lease_lost: true,
  not_open: true,
  key_concurrent: true,
  key_requests: true,
  key_tokens: true,
  account_concurrent: true,
  account_requests: true,
  account_tokens: true,
}

test('answers arrive as they were given, failures among them', () => {
  const shared = newShared()
  const verdicts = Object.keys(VERDICTS) as Result['verdict'][]
  const answers: VerbResult[] = [
    { failure: 'verb', message: 'one\nline' },
    ...verdicts.map((verdict, index) => ({
      verdict,
      amount: LARGEST_ID - BigInt(index),
      tokens: MAX_TOKENS - index,
      change: BigInt(index) - LARGEST_ID,
    })),
    { verdict: 'budget_reached', amount: 3n, tokens: 0, change: 0n, budget: LARGEST_ID },
    { failure: 'verb', message: 'between' },
    { verdict: 'done', amount: 3n, tokens: 0, change: 0n, budgetsLeft: [7n, undefined, 0n] },
    { verdict: 'done', amount: 3n, tokens: 0, change: 0n, budgetsLeft: [undefined] },
    { failure: 'store', message: '' },
    { verdict: 'done', amount: 0n, tokens: 0, change: 0n },
  ]
  for (const hasPending of [true, false]) {
    const text = sendResults(shared, answers, hasPending)
    expect(receiveResults(shared, text, answers.length)).toEqual(answers)
    expect(saysPending(text)).toBe(hasPending)
  }
})
