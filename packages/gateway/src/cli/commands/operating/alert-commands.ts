// The commands about alerts.
import type { Arguments } from '../../args.ts'
import { CommandError } from '../../errors.ts'
import { ROWS } from '../accounts/options.ts'
import { type Shown, shown } from '../columns.ts'
import { REASON } from '../configuration/entry-commands.ts'
import { commandsIn, type OptionTexts } from '../declare.ts'
import { readText } from '../read-text.ts'
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

const TARGET = [{ name: 'TARGET', summary: '`alert targets` lists them' }] as const
/** URLs and signing secrets of webhooks are secrets, which do not stand in the list of processes. `otherwise`: without a file. */
const ofTarget = (otherwise: string) => ({
  options: {
    'url-file FILE': "the file with the URL of a webhook; '-': standard input",
    'secret-file FILE': `the file with its signing secret; default: ${otherwise}`,
    'email EMAIL': 'an address in place of a webhook',
    ...REASON,
  },
  atLeastOne: ['url-file', 'secret-file', 'email'],
  input: async ({ values }: Arguments) => ({
    url: await lineOf(values['url-file']),
    secret: await lineOf(values['secret-file']),
  }),
})
const lineOf = async (file: string | undefined) => (file === undefined ? undefined : (await readText(file)).trim())

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
    name: 'alert targets',
    summary: 'list the webhooks and email addresses that alerts are sent to',
    json: itemsOf,
    show: shown('target=id', 'kind', {
      title: 'change it',
      cell: ({ place }) => (place === null ? null : `in ${place}`),
    }),
  },
  {
    name: 'alert target add',
    ...ofTarget('one is made, and shown once'),
    summary: 'send alerts to one more webhook or email address',
    example: 'alert target add --email ops@example.com',
  },
  {
    name: 'alert target replace',
    positionals: TARGET,
    ...ofTarget('the one that it has'),
    summary: 'change a stored webhook or email address; what is left out stays',
    example: 'alert target replace "email ops@example.com" --email alerts@example.com',
  },
  {
    name: 'alert target remove',
    positionals: TARGET,
    options: REASON,
    summary: 'stop sending alerts to a stored webhook or email address',
    example: 'alert target remove "email ops@example.com"',
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
