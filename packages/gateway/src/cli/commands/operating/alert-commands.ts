// The commands about alerts.
import type { StoreCommand } from '../../command.ts'
import { showAlerts, showAlertTest } from '../columns.ts'
import { present } from '../inputs.ts'

export const ALERT_COMMANDS: readonly StoreCommand[] = [
  {
    name: 'alert list',
    section: 'Checks',
    positionals: [],
    options: [
      { name: 'state', value: 'STATE', summary: 'only those that are open or resolved' },
      { name: 'limit', value: 'N', summary: 'how many; 0: all; default: 100' },
    ],
    summary: 'list alerts with their deliveries, newest first',
    example: 'alert list --state open',
    input: ({ values: { state } }) => present([['state', state]]),
    rows: 100,
    show: showAlerts,
  },
  {
    name: 'alert test',
    section: 'Checks',
    positionals: [],
    options: [],
    summary: 'send a test to every webhook and email address of the section alerts',
    example: 'alert test',
    input: () => ({}),
    show: showAlertTest,
  },
]
