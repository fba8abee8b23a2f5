// The messages between the main thread and the writer thread, strictly alternating.
// The numbers of a batch, and then those of its results, are in shared memory; only a text is sent, since an object would be
// serialized value by value. The memory belongs to the thread whose turn it is.
import type { Result, Verb } from '../../money/ledger.ts'
import type { Upgrade } from '../migrations/migrations.ts'
import type { Row } from '../sql/rows.ts'
import type { Statement } from '../sql/statements.ts'
import { type EncodedBatch, encodeBatch, roomFor, WORD } from './batch.ts'
import type { VerbResult, WriteFailure } from './transactions.ts'

export type ToWriter =
  | {
      type: 'open'
      file: string
      busyTimeoutMs: number
      mayChange: boolean
      deferFrom: number | undefined
      memory: SharedArrayBuffer
    }
  | { type: 'write'; statements: readonly Statement[] }
  | { type: 'close' }
  /** The texts of a batch of verbs. */
  | string

export type FromWriter =
  | { type: 'opened'; upgrade: Upgrade | undefined }
  | { type: 'closed' }
  | { type: 'write'; result: Row[][] | undefined | WriteFailure }
  | ({ type: 'failed'; isWrongSchema: boolean } & WriteFailure)
  /** Results of a batch of verbs: whether rows are pending, and messages of failures. */
  | string

/** Large enough to make a commit cheap per verb, small enough that no verb waits long for it. */
export const LARGEST_BATCH = 500

/** `head`: when a batch was sent, and the length of its words in bytes. */
export type Shared = { memory: SharedArrayBuffer; head: DataView; words: DataView }

const HEAD = 2 * WORD

export const newShared = (): Shared => sharedIn(new SharedArrayBuffer(HEAD + roomFor(LARGEST_BATCH)))

export const sharedIn = (memory: SharedArrayBuffer): Shared => ({
  memory,
  head: new DataView(memory, 0, HEAD),
  words: new DataView(memory, HEAD),
})

/** Returns the text to send. */
export function sendVerbs({ head, words }: Shared, verbs: readonly Verb[], now: number): string {
  const batch = encodeBatch(verbs, words)
  head.setFloat64(0, now, true)
  head.setFloat64(WORD, batch.words.byteLength, true)
  return batch.texts
}

export function receiveVerbs({ memory, head }: Shared, texts: string): { batch: EncodedBatch; now: number } {
  const words = new DataView(memory, HEAD, head.getFloat64(WORD, true))
  return { batch: { words, texts }, now: head.getFloat64(0, true) }
}

const VERDICTS = [
  ...([
    'done',
    'repeated',
    'no_balance',
    'key_cap_reached',
    'account_cap_reached',
    'member_cap_reached',
    'budget_reached',
    'key_invalid',
    'key_expired',
    'key_changed',
  ] as const),
  ...(['account_disabled', 'node_lost', 'node_taken', 'unknown_request', 'not_open'] as const),
  ...(['lease_taken', 'lease_lost', 'commits_lost'] as const),
  ...(['key_concurrent', 'key_requests', 'key_tokens'] as const),
  ...(['account_concurrent', 'account_requests', 'account_tokens'] as const),
] satisfies Result['verdict'][]
const FAILURES = ['store', 'verb'] as const satisfies WriteFailure['failure'][]
/** Fails to compile when a verdict is missing above. */
const CODES: Record<Result['verdict'], number> = Object.fromEntries(
  VERDICTS.map((verdict, code) => [verdict, code]),
) as Record<(typeof VERDICTS)[number], number>
const RESULT = 4 * WORD
/** Added to the code of a verdict that has more to say of budgets, which is in the text. */
const OF_BUDGETS = 100

/** Four words each: verdict, amount, tokens and change. The verdict of a failure is negative, and its message is in the text. */
export function sendResults({ words }: Shared, results: readonly VerbResult[], hasPending: boolean): string {
  let text = hasPending ? '1' : '0'
  let at = 0
  for (const result of results) {
    if ('failure' in result) {
      words.setFloat64(at, -1 - FAILURES.indexOf(result.failure), true)
      text += `\0${result.message.replaceAll('\0', ' ')}`
    } else {
      const saysMore = result.budget !== undefined || result.budgetsLeft !== undefined
      if (saysMore) text += `\0${writeBudgets(result)}`
      words.setFloat64(at, CODES[result.verdict] + (saysMore ? OF_BUDGETS : 0), true)
      words.setBigInt64(at + WORD, result.amount, true)
      words.setFloat64(at + 2 * WORD, result.tokens, true)
      words.setBigInt64(at + 3 * WORD, result.change, true)
    }
    at += RESULT
  }
  return text
}

export const saysPending = (text: string): boolean => text.startsWith('1')

export function receiveResults({ words }: Shared, text: string, count: number): VerbResult[] {
  const results: VerbResult[] = []
  const messages = text.length > 1 ? text.split('\0') : []
  let said = 0
  for (let at = 0; at < count * RESULT; at += RESULT) {
    const code = words.getFloat64(at, true)
    const verdict = VERDICTS[code % OF_BUDGETS]
    if (verdict) {
      const [amount, tokens] = [words.getBigInt64(at + WORD, true), words.getFloat64(at + 2 * WORD, true)]
      const result = { verdict, amount, tokens, change: words.getBigInt64(at + 3 * WORD, true) }
      results.push(code < OF_BUDGETS ? result : { ...result, ...readBudgets(messages[++said] ?? '') })
    } else results.push({ failure: FAILURES[-1 - code] ?? 'store', message: messages[++said] ?? 'no result' })
  }
  return results
}

type OfBudgets = Pick<Result, 'budget' | 'budgetsLeft'>

/** The one that is reached, or what is left of each. */
const writeBudgets = ({ budget, budgetsLeft }: OfBudgets): string =>
  budget === undefined ? `=${budgetsLeft?.join() ?? ''}` : String(budget)

const readBudgets = (text: string): OfBudgets =>
  text.startsWith('=')
    ? {
        budgetsLeft: text
          .slice(1)
          .split(',')
          .map((left) => (left === '' ? undefined : BigInt(left))),
      }
    : { budget: BigInt(text) }
