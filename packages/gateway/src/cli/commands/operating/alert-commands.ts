// The commands about alerts.
import { CommandError } from '../../errors.ts'
import { ROWS } from '../accounts/options.ts'
import { type Shown, shown } from '../columns.ts'
import { commandsIn, type OptionTexts } from '../declare.ts'
import { itemsOf } from './operating-commands.ts'

const ABOUT: OptionTexts = {
  'rule RULE': 'every alert of this rule; `alert rules` lists them',
  'alert ID': 'one open alert',
}

const deliveryText = ({ event, target, state, tries, error }: Shown): string =>
  `${event} ${state} to ${target}${error === null ? '' : ` after ${tries} tries (${error})`}`

const showTargets = shown(
  'target',
  { title: 'result', cell: ({ ok }) => (ok === true ? 'delivered' : 'FAILED') },
  'error',
)

type Mute = { rule: string; about: string | null; until: string | null }
function showMute({ rule, about, until }: Mute): string {
  const named = about === null || about === '' ? rule : `${rule} (${about})`
  return until === null ? `${named} is sent again\n` : `${named} is not sent until ${until}\n`
}

export const ALERT_COMMANDS = commandsIn('Checks', [
  {
    name: 'alert list',
    options: { 'state STATE': 'only open or only resolved ones', ...ROWS },
    summary: 'list alerts with their deliveries, newest first',
    example: 'alert list --state open',
    rows: 100,
    show: shown(...['>id', 'rule', 'object', 'state', 'value', 'since', 'resolved_at', 'muted_until'], {
      title: 'deliveries',
      cell: ({ deliveries }) => (deliveries as Shown[]).map(deliveryText).join('; '),
    }),
  },
  {
    name: 'alert test',
    options: { 'target NAME': 'only this one, as `alert list` names it' },
    summary: 'send a test to every webhook and email address of the section alerts',
    async drive(run) {
      const result = (await run({})) as { targets: readonly unknown[] }
      if (result.targets.length === 0)
        throw new CommandError('no alert targets: set alerts.webhooks or alerts.email in the configuration')
      return result
    },
    show: (result) => showTargets((result as { targets: unknown }).targets),
  },
  {
    name: 'alert rules',
    summary: 'list the alert rules with their thresholds and mutes',
    json: itemsOf,
    show: shown('rule=id', 'about=title', 'threshold', 'default=default_threshold', 'off', '>open', 'muted_until'),
  },
  {
    name: 'alert mute',
    options: { ...ABOUT, 'until TIME': 'end of the mute, such as 2027-01-31T12:00:00Z' },
    summary: 'mute a rule or one alert until a time: listed, but not sent',
    example: 'alert mute --rule price_list_old --until 2027-01-31T12:00:00Z',
    show: (result) => showMute(result as Mute),
  },
  {
    name: 'alert unmute',
    options: ABOUT,
    summary: 'unmute a rule or one alert',
    example: 'alert unmute --rule price_list_old',
    show: (result) => showMute(result as Mute),
  },
])
