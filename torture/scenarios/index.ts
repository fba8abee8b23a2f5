// All scenarios, in the order in which they run.

import type { Scenario } from '../scenario.ts'
import { agents } from './agents.ts'
import { batches } from './batches.ts'
import { clientDisconnect } from './client-disconnect.ts'
import {
  configurationPostgres,
  configurationSqlite,
  crashConfigurationPostgres,
  crashConfigurationSqlite,
} from './configuration.ts'
import { crashPostgres, crashSqlite } from './crashes/crash.ts'
import { crashConversationsPostgres, crashConversationsSqlite } from './crashes/crash-conversations.ts'
import { crashImages } from './crashes/crash-images.ts'
import { crashVideos } from './crashes/crash-videos.ts'
import { interleavings } from './interleavings.ts'
import { manyTasks } from './many-tasks.ts'
import { mutants } from './mutants.ts'
import { databaseOutage, frozenNode } from './outage.ts'
import { overshoot } from './overshoot.ts'
import { racePostgres, raceSqlite } from './race.ts'
import { rowsPostgres, rowsSqlite } from './rows.ts'
import { simulation } from './simulation.ts'
import { uploads } from './uploads.ts'

export const SQLITE_SCENARIOS: readonly Scenario[] = [
  crashSqlite,
  raceSqlite,
  agents,
  clientDisconnect,
  overshoot,
  rowsSqlite,
]
export const POSTGRES_SCENARIOS: readonly Scenario[] = [
  crashPostgres,
  frozenNode,
  databaseOutage,
  racePostgres,
  batches,
  rowsPostgres,
]
export const CONFIGURATION_SCENARIOS: readonly Scenario[] = [
  configurationSqlite,
  configurationPostgres,
  crashConfigurationSqlite,
  crashConfigurationPostgres,
]
export const SCENARIOS: readonly Scenario[] = [
  ...SQLITE_SCENARIOS,
  ...POSTGRES_SCENARIOS,
  crashImages,
  crashVideos,
  crashConversationsSqlite,
  crashConversationsPostgres,
  manyTasks,
  uploads,
  ...CONFIGURATION_SCENARIOS,
  simulation,
  interleavings,
  mutants,
]
