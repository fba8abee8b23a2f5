// All of them, in the order in which they run.

import type { Scenario } from '../scenario.ts'
import { agents } from './agents.ts'
import { batches } from './batches.ts'
import { abort } from './client-disconnect.ts'
import { crashPostgres, crashSqlite } from './crash.ts'
import { frozenNode, storeAway } from './outage.ts'
import { overshoot } from './overshoot.ts'
import { racePostgres, raceSqlite } from './race.ts'
import { rowsPostgres, rowsSqlite } from './rows.ts'

export const SCENARIOS: readonly Scenario[] = [
  ...[crashSqlite, crashPostgres, frozenNode, storeAway],
  ...[raceSqlite, racePostgres, agents, abort, overshoot],
  ...[batches, rowsSqlite, rowsPostgres],
]
