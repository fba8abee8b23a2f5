// Histograms of latencies on both engines.
import { sql } from 'kysely'
import type { LatencyCount } from '../../../observe/latency-buckets.ts'

import { checkText } from '../guard.ts'
import { small, text } from '../rows.ts'
import { type Connection, type Database, type Statement, statement } from '../statements.ts'

const HOUR_MS = 3_600_000
/** Rows that one statement inserts. */
const AT_ONCE = 500

export const latenciesOver = ({ db, runner, clock }: Connection) => ({
  /** Adds to the histograms of this hour. */
  async addLatencies(counts: readonly LatencyCount[]): Promise<void> {
    const hour = hourOf(clock())
    // Always in the same order, so that nodes that write at once cannot deadlock.
    const sorted = [...summed(counts)].toSorted((one, other) =>
      one.model === other.model ? one.bucket - other.bucket : one.model < other.model ? -1 : 1,
    )
    const statements: Statement[] = []
    for (let at = 0; at < sorted.length; at += AT_ONCE) statements.push(add(db, hour, sorted.slice(at, at + AT_ONCE)))
    if (statements.length > 0) await runner.write(statements)
  },
  /** The histograms since `from`, summed. */
  async latencies(from: number): Promise<LatencyCount[]> {
    const query = db
      .selectFrom('latency')
      .select(['model', 'bucket', sql`CAST(sum(count) AS bigint)`.as('count')])
      .where('hour', '>=', hourOf(from))
      .groupBy(['model', 'bucket'])
      .orderBy('model')
      .orderBy('bucket')
    const rows = await runner.read(statement(query))
    return rows.map(({ model, bucket, count }) => ({ model: text(model), bucket: small(bucket), count: small(count) }))
  },
  async sweepLatencies(before: number): Promise<number> {
    const old = db.deleteFrom('latency').where('hour', '<', hourOf(before)).returning('hour')
    return (await runner.write([statement(old)]))?.[0]?.length ?? 0
  },
})

const hourOf = (time: number): number => time - (time % HOUR_MS)

/** One row for each model and bucket: PostgreSQL does not add twice to a row in one statement. */
function summed(counts: readonly LatencyCount[]): Iterable<LatencyCount> {
  const sums = new Map<string, LatencyCount>()
  for (const { model, bucket, count } of counts) {
    if (!Number.isSafeInteger(bucket) || !Number.isSafeInteger(count) || count < 1)
      throw new RangeError(`latency: ${count} in bucket ${bucket}`)
    const name = `${bucket} ${checkText('model', model)}`
    sums.set(name, { model, bucket, count: count + (sums.get(name)?.count ?? 0) })
  }
  return sums.values()
}

const add = (db: Database, hour: number, counts: readonly LatencyCount[]): Statement =>
  statement(
    db
      .insertInto('latency')
      .values(counts.map((each) => ({ hour, ...each })))
      .onConflict((conflict) =>
        conflict
          .columns(['hour', 'model', 'bucket'])
          .doUpdateSet((row) => ({ count: row('latency.count', '+', row.ref('excluded.count')) })),
      ),
  )
