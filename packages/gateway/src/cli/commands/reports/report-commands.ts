// The commands that report on all accounts, and those that find something in them.
import { hashSecret } from '../../../access/authenticate.ts'
import type { KeyRow } from '../../../operate/key-rows.ts'
import { PART_COLUMNS, STATEMENT_PARTS, type StatementPart } from '../../../operate/reports/statement.ts'
import { UsageError } from '../../errors.ts'
import { describe } from '../../output.ts'
import { type Column, table } from '../../table.ts'
import { flatKey } from '../accounts/key-commands.ts'
import { commandsIn, type OptionTexts } from '../declare.ts'
import { formatCsv } from './csv.ts'
import { ATTRIBUTED, FILTERS, OUTCOME } from './traffic-commands.ts'

const RANGE: OptionTexts = {
  'from TIME':
    'the start of the report: a day or full hour, UTC, yesterday, 7d or 24h; default: the first of this month',
  'to TIME': 'the end of the report, exclusive: a day or full hour, UTC; default: tomorrow',
}

type Shown = Readonly<Record<string, unknown>>
const FIGURES = ['requests', 'tokens', 'charged_usd', 'upstream_cost_usd', 'margin_usd', 'unknown_costs']
/** What came after the values of a day that are told apart. In JSON and CSV it has no value, which none can be mistaken for. */
const WITHOUT_NAME: Readonly<Record<string, string>> = {
  tag: '(all further tags)',
  end_user: '(all further end users)',
}
const columnsOf = (rows: readonly Shown[]): Column<Shown>[] =>
  Object.keys(rows[0] ?? {}).map((name) => ({
    title: name.replace(/_usd$/, ' usd').replaceAll('_', ' '),
    cell: (row) => (row[name] === null ? WITHOUT_NAME[name] : String(row[name])),
    ...(FIGURES.includes(name) || name === 'count' ? { right: true as const } : {}),
  }))
const showRows = (result: unknown): string => {
  const rows = result as readonly Shown[]
  return rows.length === 0 ? '(none)\n' : table(columnsOf(rows), rows)
}

const PERSON: OptionTexts = {
  'person PERSON': 'only keys that this person made: email address or id; 0: an operator or the command line',
}

/** What cost the most first; periods in their order. */
const byCost = (rows: readonly Shown[]): readonly Shown[] =>
  rows.every((row) => 'day' in row || 'week' in row || 'month' in row)
    ? rows
    : rows.toSorted((one, other) => Number(other.charged_usd) - Number(one.charged_usd))

/** `-`: from standard input, so that a secret does not stand in the list of processes. */
export const secretWord = async (word: string): Promise<string> =>
  word === '-' ? (await Bun.stdin.text()).trim() : word

const BY: Readonly<Record<string, readonly string[]>> = {
  account: ['account_id', 'account'],
  key: ['key_id', 'key', 'account_id', 'account'],
  person: ['person_id', 'person'],
  model: ['model'],
  upstream: ['upstream'],
  day: ['day'],
  week: ['week'],
  month: ['month'],
  tag: ['tag'],
  'tag:NAME': ['tag'],
  end_user: ['end_user', 'account_id', 'account'],
}

type Statement = Shown & Readonly<Record<StatementPart, Shown[]>> & { owners: string[] }
const isPart = (name: string): name is StatementPart => (STATEMENT_PARTS as readonly string[]).includes(name)

const GROUPS: typeof BY = {
  ...BY,
  key: ['key_id', 'key'],
  end_user: ['end_user'],
  outcome: ['outcome'],
  hour: ['hour'],
}
const columnsBy = (groups: typeof BY, name: string): readonly string[] =>
  groups[name.startsWith('tag:') ? 'tag' : name] ?? []

/** If all costs are unknown, so is the margin. Programs that read JSON find the number of unknown costs beside it. */
const withKnownMargin = (row: Shown): Shown =>
  Number(row.unknown_costs ?? 0) > 0 && row.unknown_costs === row.requests ? { ...row, margin_usd: null } : row

export const REPORT_COMMANDS = commandsIn('Reports', [
  {
    name: 'report spend',
    summary: 'report requests, tokens, charges, upstream costs and margin of all accounts',
    options: {
      'by WHAT!': Object.keys(BY).join(', '),
      ...FILTERS,
      ...PERSON,
      ...ATTRIBUTED,
      ...RANGE,
      csv: 'print comma-separated values',
    },
    example: 'report spend --by account --from 2030-01-01 --to 2030-02-01 --csv',
    rows: 0,
    json: byCost,
    show: (result, { flags, values }) =>
      flags.has('csv')
        ? formatCsv((result as readonly Shown[]).map(withKnownMargin), [...columnsBy(BY, values.by ?? ''), ...FIGURES])
        : showRows((result as readonly Shown[]).map(withKnownMargin)),
  },
  {
    name: 'report usage',
    summary: 'report requests, tokens, charges, upstream costs and margin, grouped',
    options: {
      'by A,B': `out of ${Object.keys(GROUPS).join(', ')}; default: one sum of all`,
      ...FILTERS,
      ...PERSON,
      ...OUTCOME,
      ...ATTRIBUTED,
      ...RANGE,
      csv: 'print comma-separated values',
    },
    example: 'report usage --by account,model --from 2030-01-01 --to 2030-02-01 --csv',
    rows: 0,
    show: (result, { flags, values: { by = '' } }) => {
      const rows = (result as readonly Shown[]).map(({ id: _, ...row }) => withKnownMargin(row))
      const columns = by.split(',').flatMap((name) => columnsBy(GROUPS, name.trim()))
      return flags.has('csv') ? formatCsv(rows, [...columns, ...FIGURES]) : showRows(rows)
    },
  },
  {
    name: 'report session',
    summary: 'add up the requests of a session, at most the newest 10,000',
    options: { 'account ACCOUNT!': 'email address, name or id', 'session ID!': 'the session, as receipts name it' },
    example: 'report session --account ada@example.com --session chat-1',
    show: describe,
  },
  {
    name: 'report statement',
    summary: "show an account's statement of a month: balances, entries, and what it was charged for",
    options: {
      'account ACCOUNT!': 'email address, name or id',
      'month YYYY-MM!': 'the month, in UTC',
      csv: 'print the entries as comma-separated values',
      'part PART': `another part as comma-separated values, with --csv: ${STATEMENT_PARTS.slice(1).join(', ')}`,
    },
    example: 'report statement --account ada@example.com --month 2030-01 --csv',
    input({ flags, values: { part } }) {
      if (part === undefined) return {}
      if (!flags.has('csv')) throw new UsageError('--part needs --csv')
      if (!isPart(part)) throw new UsageError(`--part must be one of ${STATEMENT_PARTS.join(', ')}`)
      return { part: undefined }
    },
    show(result, { flags, values: { part = 'entries' } }) {
      const { id: _, owners, ...all } = result as Statement
      if (flags.has('csv')) return isPart(part) ? formatCsv(all[part], PART_COLUMNS[part]) : ''
      const { entries, models, keys, members, days, ...head } = all
      const lists = [models, keys, members, days, entries].map(showRows)
      return [describe({ ...head, owners: owners.join(', ') }), ...lists].join('\n')
    },
  },
  {
    name: 'report failures',
    summary: 'count failed and rejected requests by error code, outcome, model and upstream',
    options: RANGE,
    example: 'report failures --from 2030-01-31',
    show: showRows,
  },
  {
    name: 'request show',
    positionals: [{ name: 'ID', summary: 'the request id, such as req_0549a3f2c1e00001' }],
    summary: 'show the receipt of a request of any account',
    example: 'request show req_0549a3f2c1e00001',
  },
  {
    name: 'key find',
    positionals: [
      { name: 'SECRET', summary: "the secret, its last four characters, or '-' to read it from standard input" },
    ],
    summary: 'find the account of a key, deleted keys included',
    example: 'key find -',
    input: async ({ positionals: [word = ''] }) => {
      const secret = await secretWord(word)
      if (secret === '') throw new UsageError('the secret is empty: give it as an argument or on standard input')
      return secret.startsWith('sk-') ? { hash: hashSecret(secret).toString('hex') } : { last_four: secret }
    },
    json: (rows: KeyRow[]) => rows.map(flatKey),
    show: (result) => (Array.isArray(result) && result.length === 0 ? 'no key found\n' : describe(result)),
  },
])
