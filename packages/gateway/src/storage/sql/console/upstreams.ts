// Switches and tests of upstreams, and the histograms of their calls, on both engines.
import { sql } from 'kysely'
import { MAX_AMOUNT, type Nanos } from '../../../money/amount.ts'
import { REVENUE, TESTS } from '../../../money/book.ts'
import type { KeyCount, Measured, UpstreamCount, UpstreamMeasure } from '../../../observe/metrics/upstream-measures.ts'
import { toSwitch, type UpstreamSwitch } from '../../console/upstreams.ts'
import { fieldsOf, word } from '../../fields.ts'
import { checkText } from '../guard.ts'
import { small, text } from '../rows.ts'
import {
  type Connection,
  type Database,
  incrementChangeCounter,
  rawStatement,
  type Statement,
  statement,
} from '../statements.ts'

const HOUR_MS = 3_600_000
/** Rows that one statement inserts. */
const AT_ONCE = 500

export const upstreamsOver = ({ db, runner, clock }: Connection) => ({
  /** Upstreams without a row are enabled. */
  async switches(): Promise<UpstreamSwitch[]> {
    return (await runner.read(statement(db.selectFrom('upstream_switch').selectAll().orderBy('upstream')))).map(
      toSwitch,
    )
  },
  async setSwitch({ upstream, state, actor, reason }: Omit<UpstreamSwitch, 'at' | 'resets'>): Promise<void> {
    const set = { state, at: clock(), actor: checkText('actor', actor), reason: checkText('reason', reason) }
    const insert = db.insertInto('upstream_switch').values({ upstream: checkText('upstream', upstream), ...set })
    await runner.write([
      statement(insert.onConflict((conflict) => conflict.column('upstream').doUpdateSet(set))),
      incrementChangeCounter(db),
    ])
  },
  /** Every node forgets the circuit breaker and the cool-downs of the upstream's keys. */
  async reset(upstream: string): Promise<void> {
    const fresh = { upstream: checkText('upstream', upstream), state: 'enabled', at: clock(), actor: '', reason: '' }
    const insert = db.insertInto('upstream_switch').values({ ...fresh, resets: 1n })
    const again = insert.onConflict((conflict) =>
      conflict.column('upstream').doUpdateSet((row) => ({ resets: row('upstream_switch.resets', '+', 1n) })),
    )
    await runner.write([statement(again), incrementChangeCounter(db)])
  },
  /** What a test cost, on nobody's balance: from the ledger account TESTS. `amount` is above 0. */
  async bookTest(amount: Nanos, reason: string): Promise<void> {
    if (amount <= 0n || amount > MAX_AMOUNT) throw new RangeError(`amount: ${amount} is outside 1..${MAX_AMOUNT}`)
    const transfer = { request: null, debit: TESTS, credit: REVENUE, amount, at: clock() }
    await runner.write([
      statement(db.insertInto('transfer').values({ ...transfer, reason: checkText('reason', reason) })),
    ])
  },
  /** Adds to the counts of this hour. */
  async addCounts({ counts, keys }: Measured): Promise<void> {
    const hour = hourOf(clock())
    const statements = [
      ...inOrder(counts, nameOf).map((part) => addCounts(db, hour, part)),
      ...inOrder(keys, nameOfKey).map((part) => addKeyCounts(db, hour, part)),
    ]
    if (statements.length > 0) await runner.write(statements)
  },
  /** The histograms of the hours since that of `from`, of all nodes. `upstream`: only of this one. */
  async counts(from: number, upstream?: string): Promise<(UpstreamCount & { hour: number })[]> {
    const all = db.selectFrom('upstream_hour').selectAll().where('hour', '>=', hourOf(from))
    const some = upstream === undefined ? all : all.where('upstream', '=', checkText('upstream', upstream))
    return (await runner.read(statement(some.orderBy('hour').orderBy('upstream').orderBy('bucket')))).map(toCount)
  },
  /** Those of the keys of an upstream, over the hours since that of `from`. */
  async keyCounts(from: number, upstream: string): Promise<KeyCount[]> {
    const sums = sql`SELECT upstream, key, CAST(sum(calls) AS bigint) AS calls, CAST(sum(failed) AS bigint) AS failed
      FROM upstream_key_hour WHERE hour >= ${hourOf(from)} AND upstream = ${checkText('upstream', upstream)}
      GROUP BY upstream, key ORDER BY key`
    return (await runner.read(rawStatement(db, sums))).map(toKeyCount)
  },
  /** Also those of keys; the number is that of the others. */
  async sweepCounts(before: number): Promise<number> {
    const [old, oldOfKeys] = (['upstream_hour', 'upstream_key_hour'] as const).map((table) =>
      statement(db.deleteFrom(table).where('hour', '<', hourOf(before)).returning('hour')),
    ) as [Statement, Statement]
    return (await runner.write([old, oldOfKeys]))?.[0]?.length ?? 0
  },
})

const hourOf = (time: number): number => time - (time % HOUR_MS)

/** In parts, always in the same order, so that nodes that write at once cannot deadlock. */
function inOrder<Row>(rows: readonly Row[], name: (row: Row) => string): Row[][] {
  const sorted = rows.toSorted((one, other) => (name(one) < name(other) ? -1 : 1))
  return Array.from({ length: Math.ceil(sorted.length / AT_ONCE) }, (_, at) =>
    sorted.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  )
}

const nameOfKey = ({ upstream, key }: KeyCount): string => `${upstream} ${key}`
const nameOf = ({ upstream, measure, bucket }: UpstreamCount): string => `${upstream} ${measure} ${bucket}`

function addCounts(db: Database, hour: number, counts: readonly UpstreamCount[]): Statement {
  for (const { upstream, bucket, count } of counts) {
    checkText('upstream', upstream)
    if (!Number.isSafeInteger(bucket) || !Number.isSafeInteger(count) || count < 1)
      throw new RangeError(`upstream: ${count} in bucket ${bucket}`)
  }
  return statement(
    db
      .insertInto('upstream_hour')
      .values(counts.map((each) => ({ hour, ...each })))
      .onConflict((conflict) =>
        conflict
          .columns(['hour', 'upstream', 'measure', 'bucket'])
          .doUpdateSet((row) => ({ count: row('upstream_hour.count', '+', row.ref('excluded.count')) })),
      ),
  )
}

function addKeyCounts(db: Database, hour: number, counts: readonly KeyCount[]): Statement {
  for (const { upstream, key, calls, failed } of counts) {
    checkText('upstream', upstream)
    checkText('key', key)
    if (!Number.isSafeInteger(calls) || calls < 1 || !(failed >= 0 && failed <= calls))
      throw new RangeError(`upstream: ${failed} of ${calls} calls failed`)
  }
  return statement(
    db
      .insertInto('upstream_key_hour')
      .values(counts.map((each) => ({ hour, ...each })))
      .onConflict((conflict) =>
        conflict.columns(['hour', 'upstream', 'key']).doUpdateSet((row) => ({
          calls: row('upstream_key_hour.calls', '+', row.ref('excluded.calls')),
          failed: row('upstream_key_hour.failed', '+', row.ref('excluded.failed')),
        })),
      ),
  )
}

const toKeyCount = fieldsOf({ upstream: text, key: text, calls: small, failed: small })
const toCount = fieldsOf({ hour: small, upstream: text, measure: word<UpstreamMeasure>(), bucket: small, count: small })
