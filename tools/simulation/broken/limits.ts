// The rules of limits, each broken in one place, as in ../broken.ts.
import {
  type AccountRow,
  apply,
  type Book,
  HELD,
  type KeyRow,
  TASK_NODE,
  type Verb,
} from '../../../packages/gateway/src/money/ledger.ts'
import { type Limits, type Meter, newMeter, type Window } from '../../../packages/gateway/src/money/limits.ts'
import type { Rules } from '../rules.ts'

type Row = AccountRow | KeyRow
const isKey = (row: Row): row is KeyRow => 'account' in row

/** The real ledger, which sees a row of `whose` changed for the time of a hold or an extension. */
function seeing(whose: 'key' | 'account', change: (row: Row, now: number) => Partial<Row>): Partial<Rules> {
  return {
    apply(book, verb) {
      if (verb.verb !== 'hold' && verb.verb !== 'extend') return apply(book, verb)
      const seen = <Found extends Row>(row: Found | undefined): Found | undefined =>
        row && isKey(row) === (whose === 'key') ? { ...row, ...change(row, book.now) } : row
      const keep = <Found extends Row>(row: Found, real: Found | undefined): Found =>
        real ? Object.assign(real, { held: row.held, meter: row.meter }) : row
      return apply(
        {
          ...book,
          account: (id) => seen(book.account(id)),
          key: (id) => seen(book.key(id)),
          saveAccount: (row) => book.saveAccount(keep(row, book.account(row.id))),
          saveKey: (row) => book.saveKey(keep(row, book.key(row.id))),
        },
        verb,
      )
    },
  }
}

const without = (limit: keyof Limits) => (row: Row) => ({ limits: { ...row.limits, [limit]: undefined } })

/** The rows of the request that a verb is about, after the real ledger has taken the verb. */
function afterwards(change: (rows: Row[], book: Book, verb: Verb, before: Meter[]) => void): Partial<Rules> {
  return {
    apply(book, verb) {
      const rows = rowsOf(book, verb)
      const before = rows.map(({ meter }) => ({ ...meter }))
      const result = apply(book, verb)
      if (result.verdict === 'done') change(rowsOf(book, verb), book, verb, before)
      return result
    },
  }
}

function rowsOf(book: Book, verb: Verb): Row[] {
  if (!('id' in verb)) return []
  const { account, key } = verb.verb === 'hold' ? verb : (book.request(verb.id) ?? { account: 0n, key: 0n })
  return [book.account(account), book.key(key)].filter((row) => row !== undefined)
}

const lastHalfMinute = (window: Window, now: number): Window => {
  const from = window.findIndex((second, at) => at % 2 === 0 && second > now / 1_000 - 30)
  return from < 0 ? [] : window.slice(from)
}

const forgetting = (whose: 'key' | 'account', change: (meter: Meter, now: number) => Partial<Meter>) =>
  seeing(whose, ({ meter }, now) => ({ meter: { ...meter, ...change(meter, now) } }))

export const BROKEN_LIMITS: Record<string, Partial<Rules>> = {
  "a hold ignores the key's limit of requests at once": seeing('key', without('concurrent')),
  "a hold ignores the account's limit of requests at once": seeing('account', without('concurrent')),
  "a hold ignores the key's requests of the minute": forgetting('key', () => ({ requests: [] })),
  "a hold ignores the account's requests of the minute": forgetting('account', () => ({ requests: [] })),
  "a hold ignores the key's tokens of the minute": seeing('key', without('tokensPerMinute')),
  "a hold ignores the account's tokens of the minute": seeing('account', without('tokensPerMinute')),
  "a hold ignores the account's cap": seeing('account', () => ({ cap: undefined })),
  'a hold exceeds the credit line': seeing('account', (row) =>
    'creditLine' in row ? { creditLine: row.creditLine + 40n } : {},
  ),
  'a hold ignores the credit line': seeing('account', () => ({ creditLine: 0n })),
  'an extension reserves no tokens': {
    apply: (book, verb) => apply(book, verb.verb === 'extend' ? { ...verb, tokens: 0 } : verb),
  },
  'half a minute counts as a minute for requests': forgetting('key', ({ requests }, now) => ({
    requests: lastHalfMinute(requests, now),
  })),
  'half a minute counts as a minute for tokens': forgetting('account', ({ tokens }, now) => ({
    tokens: lastHalfMinute(tokens, now),
  })),
  'an ended request stays open': afterwards((rows, _book, verb) => {
    if (verb.verb === 'settle') for (const { meter } of rows) meter.open += 1
  }),
  'the correction of the reaper closes a request again': {
    apply(book, verb) {
      const reaped = verb.verb === 'settle' && (book.request(verb.id)?.state ?? HELD) !== HELD
      const result = apply(book, verb)
      if (reaped && result.verdict === 'done') for (const { meter } of rowsOf(book, verb)) meter.open -= 1
      return result
    },
  },
  'tokens that were not used are given back twice': afterwards((rows, _book, verb, before) => {
    if (verb.verb !== 'settle' && verb.verb !== 'void') return
    for (const [index, { meter }] of rows.entries()) {
      const given = sum(before[index]?.tokens ?? []) - sum(meter.tokens)
      if (given > 0) meter.tokens = meter.tokens.map((count, at) => (at % 2 === 1 ? Math.max(0, count - given) : count))
    }
  }),
  'tokens beyond what was reserved are not counted': {
    apply(book, verb) {
      const reserved = verb.verb === 'settle' ? book.request(verb.id)?.tokens : undefined
      if (verb.verb !== 'settle' || reserved === undefined) return apply(book, verb)
      const result = apply(book, { ...verb, tokens: Math.min(verb.tokens, reserved) })
      const request = book.request(verb.id)
      if (request && result.verdict === 'done') request.tokens = verb.tokens
      return result
    },
  },
  'a hold is granted to who knows an older key': {
    apply(book, verb) {
      const revision = verb.verb === 'hold' ? book.key(verb.key)?.revision : undefined
      return apply(book, verb.verb === 'hold' && revision !== undefined ? { ...verb, revision } : verb)
    },
  },
  'a charge is not counted in its period': afterwards((rows, _book, verb, before) => {
    if (verb.verb !== 'settle') return
    for (const [index, { meter }] of rows.entries()) Object.assign(meter, spentOf(before[index] ?? newMeter()))
  }),
  'a task is charged beyond its hold': {
    apply(book, verb) {
      const request = verb.verb === 'settle' ? book.request(verb.id) : undefined
      const isMore = verb.verb === 'settle' && request?.nodeId === TASK_NODE && request.state === HELD
      const more = isMore ? verb.cost - request.held : 0n
      if (request && more > 0n) for (const row of [request, ...rowsOf(book, verb)]) row.held += more
      return apply(book, verb)
    },
  },
  'a cap by the month is renewed every day': forgetting('key', ({ spentAt }, now) =>
    new Date(spentAt).getUTCDate() === new Date(now).getUTCDate()
      ? {}
      : { spentAt: now, spentDay: 0n, weekBefore: 0n, monthBefore: 0n },
  ),
}

const sum = (window: Window): number => window.reduce((total, count, at) => (at % 2 === 1 ? total + count : total), 0)
const spentOf = ({ spentAt, spentDay, weekBefore, monthBefore }: Meter) => ({
  spentAt,
  spentDay,
  weekBefore,
  monthBefore,
})
