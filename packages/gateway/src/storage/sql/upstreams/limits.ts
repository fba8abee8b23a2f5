// What is used of limits of upstreams and routes, and which part of the rest each process may use without asking, on both engines.
//
// Never more is granted than is left: what was used in the slots that count, what the others hold and what is granted come to the
// limit at most. So the limit holds however unequal the load of processes is; what they hold and do not need they give back.
import { sql } from 'kysely'
import type { LimitAnswer, LimitQuestion } from '../../upstreams/limits.ts'
import { checkText } from '../guard.ts'
import { type Row, small } from '../rows.ts'
import { type Connection, type Database, rawStatement, type Statement } from '../statements.ts'

export const upstreamLimitsOver = ({ db, runner, clock }: Connection) => ({
  /** Notes what this process has used, and gives it a share of what is left. */
  async ask(nodeId: number, questions: readonly LimitQuestion[]): Promise<LimitAnswer[]> {
    const now = clock()
    // Always in the same order, so that processes that ask at once cannot deadlock.
    const sorted = questions.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
    const steps = sorted.map((question) => stepsOf(db, nodeId, question, now))
    const rows = (await runner.write(steps.flat())) ?? []
    let end = 0
    return sorted.map(({ name, kind }, at): LimitAnswer => {
      end += steps[at]?.length ?? 0
      const [share = [], uses = [], others = []] = rows.slice(end - 3, end)
      return {
        name,
        kind,
        now,
        held: small(share[0]?.held ?? 0),
        others: small(others[0]?.held ?? 0),
        nodes: 1 + small(others[0]?.nodes ?? 0),
        uses: uses.map(({ slot, used }: Row) => [small(slot), small(used)] as const),
      }
    })
  },
  /** Removes what is known of limits that nobody has asked for since. */
  async sweep(before: number): Promise<number> {
    const shares = sql`DELETE FROM upstream_limit_share WHERE at < ${before} RETURNING name`
    const uses = sql`DELETE FROM upstream_limit_use WHERE NOT EXISTS (SELECT 1 FROM upstream_limit_share AS share
      WHERE share.name = upstream_limit_use.name AND share.kind = upstream_limit_use.kind)`
    const rows = await runner.write([shares, uses].map((query) => rawStatement(db, query)))
    return rows?.[0]?.length ?? 0
  },
})

const nameOf = ({ name, kind }: LimitQuestion): string => `${name} ${kind}`

function stepsOf(db: Database, nodeId: number, question: LimitQuestion, now: number): Statement[] {
  const { kind, limit, want, slotMs, slots, holdsForMs } = question
  const name = checkText('name', question.name)
  for (const number of [limit, want, ...question.uses.flat()])
    if (!Number.isSafeInteger(number)) throw new RangeError(`upstream limit: ${number}`)
  const present = Math.floor(now / slotMs)
  const oldest = present - slots
  // A clock that was set back: what was counted in slots to come counts now.
  const bySlot = new Map<number, number>()
  for (const [slot, used] of question.uses)
    if (slot > oldest) bySlot.set(Math.min(slot, present), (bySlot.get(Math.min(slot, present)) ?? 0) + used)
  const uses = [...bySlot].map(
    ([slot, used]) => sql`(${name}, ${kind}, CAST(${slot} AS bigint), CAST(${used} AS bigint))`,
  )
  const one = sql`name = ${name} AND kind = ${kind}`
  const others = sql`${one} AND node_id NOT IN (0, ${nodeId}) AND at > ${now - holdsForMs}`
  const left = sql`CAST(${limit} AS bigint)
    - coalesce((SELECT CAST(sum(used) AS bigint) FROM upstream_limit_use WHERE ${one} AND slot > ${oldest}), 0)
    - coalesce((SELECT CAST(sum(held) AS bigint) FROM upstream_limit_share WHERE ${others}), 0)`
  const statements = [
    // Whoever asks for this limit at the same time waits here, and sees what this one was given.
    sql`INSERT INTO upstream_limit_share (name, kind, node_id, held, at) VALUES (${name}, ${kind}, 0, 0, ${now})
      ON CONFLICT (name, kind, node_id) DO UPDATE SET at = excluded.at`,
    sql`DELETE FROM upstream_limit_use WHERE ${one} AND slot <= ${oldest}`,
    ...(uses.length === 0
      ? []
      : [
          sql`INSERT INTO upstream_limit_use (name, kind, slot, used) VALUES ${sql.join(uses)}
            ON CONFLICT (name, kind, slot) DO UPDATE SET used = upstream_limit_use.used + excluded.used`,
        ]),
    sql`INSERT INTO upstream_limit_share (name, kind, node_id, held, at)
      SELECT ${name}, ${kind}, ${nodeId},
        CASE WHEN room <= 0 THEN 0 WHEN room < ${want} THEN room ELSE CAST(${want} AS bigint) END, ${now}
      FROM (SELECT ${left} AS room) AS rest WHERE true
      ON CONFLICT (name, kind, node_id) DO UPDATE SET held = excluded.held, at = excluded.at RETURNING held`,
    sql`SELECT slot, used FROM upstream_limit_use WHERE ${one} AND slot > ${oldest} ORDER BY slot`,
    sql`SELECT coalesce(sum(held), 0) AS held, count(*) AS nodes FROM upstream_limit_share WHERE ${others}`,
  ]
  return statements.map((query) => rawStatement(db, query))
}
