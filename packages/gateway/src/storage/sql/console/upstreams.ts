// Switches and tests of upstreams on both engines.
import { MAX_AMOUNT } from '../../../money/amount.ts'
import { REVENUE, TESTS } from '../../../money/book.ts'
import type { SwitchState, UpstreamSwitch, Upstreams } from '../../console/upstreams.ts'
import { checkText } from '../guard.ts'
import { type Row, small, text } from '../rows.ts'
import { type Connection, incrementChangeCounter, statement } from '../statements.ts'

export const upstreamsOver = ({ db, runner, clock }: Connection): Upstreams => ({
  async switches() {
    return (await runner.read(statement(db.selectFrom('upstream_switch').selectAll().orderBy('upstream')))).map(
      toSwitch,
    )
  },
  async setSwitch({ upstream, state, actor, reason }) {
    const set = { state, at: clock(), actor: checkText('actor', actor), reason: checkText('reason', reason) }
    const insert = db.insertInto('upstream_switch').values({ upstream: checkText('upstream', upstream), ...set })
    await runner.write([
      statement(insert.onConflict((conflict) => conflict.column('upstream').doUpdateSet(set))),
      incrementChangeCounter(db),
    ])
  },
  async reset(upstream) {
    const fresh = { upstream: checkText('upstream', upstream), state: 'enabled', at: clock(), actor: '', reason: '' }
    const insert = db.insertInto('upstream_switch').values({ ...fresh, resets: 1n })
    const again = insert.onConflict((conflict) =>
      conflict.column('upstream').doUpdateSet((row) => ({ resets: row('upstream_switch.resets', '+', 1n) })),
    )
    await runner.write([statement(again), incrementChangeCounter(db)])
  },
  async bookTest(amount, reason) {
    if (amount <= 0n || amount > MAX_AMOUNT) throw new RangeError(`amount: ${amount} is outside 1..${MAX_AMOUNT}`)
    const transfer = { request: null, debit: TESTS, credit: REVENUE, amount, at: clock() }
    await runner.write([
      statement(db.insertInto('transfer').values({ ...transfer, reason: checkText('reason', reason) })),
    ])
  },
})

const toSwitch = (row: Row): UpstreamSwitch => ({
  upstream: text(row.upstream),
  state: text(row.state) as SwitchState,
  at: small(row.at),
  actor: text(row.actor),
  reason: text(row.reason),
  resets: small(row.resets),
})
