// Every command that is an operation, by noun.
import type { StoreCommand } from '../command.ts'
import { ACCOUNT_COMMANDS } from './accounts/account-commands.ts'
import { BUDGET_COMMANDS } from './accounts/budget-commands.ts'
import { CODE_COMMANDS } from './accounts/code-commands.ts'
import { KEY_COMMANDS } from './accounts/key-commands.ts'
import { PEOPLE_COMMANDS } from './accounts/people-commands.ts'
import { ENTRY_COMMANDS } from './configuration/entry-commands.ts'
import { EXCHANGE_COMMANDS } from './configuration/exchange.ts'
import { SETTINGS_COMMANDS } from './configuration/settings-commands.ts'
import { ALERT_COMMANDS } from './operating/alert-commands.ts'
import { OPERATING_COMMANDS } from './operating/operating-commands.ts'
import { REPORT_COMMANDS } from './reports/report-commands.ts'
import { TRAFFIC_COMMANDS } from './reports/traffic-commands.ts'
import { UPSTREAM_COMMANDS } from './upstreams/upstream-commands.ts'

export const STORE_COMMANDS: readonly StoreCommand[] = [
  ...ACCOUNT_COMMANDS,
  ...KEY_COMMANDS,
  ...PEOPLE_COMMANDS,
  ...BUDGET_COMMANDS,
  ...CODE_COMMANDS,
  ...TRAFFIC_COMMANDS,
  ...REPORT_COMMANDS,
  ...ENTRY_COMMANDS,
  ...UPSTREAM_COMMANDS,
  ...SETTINGS_COMMANDS,
  ...EXCHANGE_COMMANDS,
  ...OPERATING_COMMANDS,
  ...ALERT_COMMANDS,
]
