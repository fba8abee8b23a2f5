// All of them, in the order in which they run.
import { abort } from './abort.ts'
import { agents } from './agents.ts'
import { batches } from './batches.ts'
import { crashPostgres, crashSqlite } from './crash.ts'
import { frozenNode, storeAway } from './frozen.ts'
import { overshoot } from './overshoot.ts'
import { racePostgres, raceSqlite } from './race.ts'
import { rowsPostgres, rowsSqlite } from './rows.ts'
import type { Scenario } from './scenario.ts'

export const SCENARIOS: readonly Scenario[] = [
  ...[crashSqlite, crashPostgres, frozenNode, storeAway],
  ...[raceSqlite, racePostgres, agents, abort, overshoot],
  ...[batches, rowsSqlite, rowsPostgres],
]
