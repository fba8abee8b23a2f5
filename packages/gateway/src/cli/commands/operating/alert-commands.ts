// The commands about alerts.
import type { StoreCommand } from '../../command.ts'
import { CommandError } from '../../errors.ts'
import { showAlertRules, showAlerts, showAlertTest } from '../columns.ts'
import { present } from '../inputs.ts'
import { itemsOf } from './operating-commands.ts'

const ABOUT: StoreCommand['options'] = [
  { name: 'rule', value: 'RULE', summary: 'every alert of this rule; `alert rules` lists them' },
  { name: 'alert', value: 'ID', summary: 'one open alert' },
]
const about = (rule: string | undefined, alert: string | undefined) =>
  [
    ['rule', rule],
    ['alert', alert],
  ] as const

type Mute = { rule: string; about: string | null; until: string | null }
function showMute({ rule, about, until }: Mute): string {
  const named = about === null || about === '' ? rule : `${rule} (${about})`
  return until === null ? `${named} is sent again\n` : `${named} is not sent until ${until}\n`
}

export const ALERT_COMMANDS: readonly StoreCommand[] = [
  {
    name: 'alert list',
    section: 'Checks',
    positionals: [],
    options: [
      { name: 'state', value: 'STATE', summary: 'only open or only resolved ones' },
      { name: 'limit', value: 'N', summary: 'maximum number; 0: all; default: 100' },
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
    options: [{ name: 'target', value: 'NAME', summary: 'only this one, as `alert list` names it' }],
    summary: 'send a test to every webhook and email address of the section alerts',
    example: 'alert test',
    input: ({ values: { target } }) => present([['target', target]]),
    async drive(run) {
      const result = (await run({})) as { targets: readonly unknown[] }
      if (result.targets.length === 0)
        throw new CommandError('no alert targets: set alerts.webhooks or alerts.email in the configuration')
      return result
    },
    show: showAlertTest,
  },
  {
    name: 'alert rules',
    section: 'Checks',
    positionals: [],
    options: [],
    summary: 'list the alert rules with their thresholds and mutes',
    example: 'alert rules',
    input: () => ({}),
    json: itemsOf,
    show: showAlertRules,
  },
  {
    name: 'alert mute',
    section: 'Checks',
    positionals: [],
    options: [...ABOUT, { name: 'until', value: 'TIME', summary: 'end of the mute, such as 2027-01-31T12:00:00Z' }],
    summary: 'mute a rule or one alert until a time: listed, but not sent',
    example: 'alert mute --rule price_list_old --until 2027-01-31T12:00:00Z',
    input: ({ values: { rule, alert, until } }) => present([...about(rule, alert), ['until', until]]),
    show: (result) => showMute(result as Mute),
  },
  {
    name: 'alert unmute',
    section: 'Checks',
    positionals: [],
    options: ABOUT,
    summary: 'unmute a rule or one alert',
    example: 'alert unmute --rule price_list_old',
    input: ({ values: { rule, alert } }) => present(about(rule, alert)),
    show: (result) => showMute(result as Mute),
  },
]
