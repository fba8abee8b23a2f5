// Switches and tests of upstreams, and the histograms of their calls, on both engines.
import { MAX_AMOUNT, type Nanos } from '../../../money/amount.ts'
import { REVENUE, TESTS } from '../../../money/book.ts'
import type { UpstreamCount, UpstreamMeasure } from '../../../observe/metrics/upstream-measures.ts'
import type { SwitchState, UpstreamSwitch } from '../../console/upstreams.ts'
import { checkText } from '../guard.ts'
import { type Row, small, text } from '../rows.ts'
import { type Connection, type Database, incrementChangeCounter, type Statement, statement } from '../statements.ts'

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
  /** Adds to the histograms of this hour. */
  async addCounts(counts: readonly UpstreamCount[]): Promise<void> {
    const hour = hourOf(clock())
    // Always in the same order, so that nodes that write at once cannot deadlock.
    const sorted = counts.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
    const statements: Statement[] = []
    for (let at = 0; at < sorted.length; at += AT_ONCE)
      statements.push(addCounts(db, hour, sorted.slice(at, at + AT_ONCE)))
    if (statements.length > 0) await runner.write(statements)
  },
  /** The histograms of the hours since that of `from`, of all nodes. `upstream`: only of this one. */
  async counts(from: number, upstream?: string): Promise<(UpstreamCount & { hour: number })[]> {
    const all = db.selectFrom('upstream_hour').selectAll().where('hour', '>=', hourOf(from))
    const some = upstream === undefined ? all : all.where('upstream', '=', checkText('upstream', upstream))
    return (await runner.read(statement(some.orderBy('hour').orderBy('upstream').orderBy('bucket')))).map(toCount)
  },
  async sweepCounts(before: number): Promise<number> {
    const old = db.deleteFrom('upstream_hour').where('hour', '<', hourOf(before)).returning('hour')
    return (await runner.write([statement(old)]))?.[0]?.length ?? 0
  },
})

const hourOf = (time: number): number => time - (time % HOUR_MS)

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

const toCount = (row: Row): UpstreamCount & { hour: number } => ({
  hour: small(row.hour),
  upstream: text(row.upstream),
  measure: text(row.measure) as UpstreamMeasure,
  bucket: small(row.bucket),
  count: small(row.count),
})

const toSwitch = (row: Row): UpstreamSwitch => ({
  upstream: text(row.upstream),
  state: text(row.state) as SwitchState,
  at: small(row.at),
  actor: text(row.actor),
  reason: text(row.reason),
  resets: small(row.resets),
})
