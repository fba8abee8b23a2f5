// The commands that work on budgets.
import type { BudgetRow } from '../../../operate/budgets/rows.ts'
import { shown } from '../columns.ts'
import { commandsIn, type OptionTexts } from '../declare.ts'
import { list, wholeNumber } from '../inputs.ts'
import { ANY_ACCOUNT, ROWS, SECTION } from './options.ts'

const ID = { name: 'ID', summary: "the budget's id; 'budget list' shows it" } as const
const KIND = 'account, member, key, key_model, tag, end_user, group or all'

const TERMS: OptionTexts = {
  'period PERIOD': 'it begins anew each day, week or month, or every so many hours; default: never',
  'every-hours N': 'with --period hours: how many',
  'starts-at TIME': 'with --period hours: the beginning of one of them',
  'hard TRUE|FALSE': 'false: it only warns; default: true',
  'alerts A,B': 'percentages at which people are told, such as 50,80,100',
  'text TEXT': 'added to the message of rejected requests',
}
type Parsed = { values: Readonly<Record<string, string>> }
/** As numbers. */
const alertsOf = ({ values: { alerts } }: Parsed) =>
  alerts === undefined ? {} : { alerts: alerts === 'none' ? [] : list('alerts', alerts).map(wholeNumber) }

/** What it is for, in one column. */
const subjectOf = ({ key, key_id, email, model, value }: Partial<BudgetRow>): string =>
  [email, key ?? key_id, model, value].filter((part) => part != null).join(' ')

const showBudgets = shown(
  ...['>id', 'account', 'kind', { title: 'for', cell: (row: object) => subjectOf(row) }],
  ...['spent_usd', 'held_usd', 'left_usd', 'amount_usd', 'per=period', '>used %=used_percent'],
  { title: 'hard', cell: ({ hard }) => (hard === true ? 'yes' : 'no') },
  ...['set by=set_by', 'begins_anew_at'],
)

export const BUDGET_COMMANDS = commandsIn(SECTION, [
  {
    name: 'budget list',
    summary: 'list budgets and caps with what is left of them, newest first',
    options: {
      ...ANY_ACCOUNT,
      'across-accounts': 'only budgets across accounts',
      'kind KIND': `only this kind: ${KIND}`,
      'key ID': "only of this key; 'key list' shows the id",
      'email EMAIL': 'only of this member',
      'value TEXT': 'only of this tag, end user or group',
      'reached TRUE|FALSE': 'true: only those of which nothing is left',
      ...ROWS,
    },
    example: 'budget list --account ada@example.com --reached true',
    rows: 100,
    show: showBudgets,
  },
  {
    name: 'budget show',
    positionals: [ID],
    summary: 'show a budget or a cap',
    example: 'budget show 7',
  },
  {
    name: 'budget create',
    summary: 'create a budget',
    options: {
      'kind KIND!': KIND,
      'amount USD!': 'how much may be spent',
      ...ANY_ACCOUNT,
      'key ID': "for key and key_model: the key; 'key list' shows the id",
      'email EMAIL': 'for member: a person of the account',
      'model MODEL': 'for key_model: the model',
      'value TEXT': 'for tag, end_user and group: the tag, such as team=search, the end user or the group',
      ...TERMS,
    },
    input: alertsOf,
    example: 'budget create --kind tag --account ada@example.com --value team=search --amount 50 --period day',
  },
  {
    name: 'budget change',
    positionals: [ID],
    summary: 'change a budget or a cap; another period begins a new count',
    options: { 'amount USD': 'how much may be spent', ...TERMS },
    atLeastOne: ['amount', 'period', 'every-hours', 'starts-at', 'hard', 'alerts', 'text'],
    mayRemove: true,
    input: alertsOf,
    example: 'budget change 7 --amount 80 --alerts 50,80,100',
  },
  {
    name: 'budget delete',
    positionals: [ID],
    summary: 'delete a budget, or remove a cap',
    example: 'budget delete 7',
  },
])
