// The commands that look at the gateway itself: its ledger, its audit log, its nodes and jobs.
import { table } from '../../table.ts'
import { ROWS } from '../accounts/options.ts'
import { shown } from '../columns.ts'
import { commandsIn } from '../declare.ts'

/** These lists have one page. */
export const itemsOf = ({ items }: { items: readonly object[] }) => items

const fieldsIn = (value: unknown): string | undefined =>
  value === null
    ? undefined
    : Object.entries(value as object)
        .map(([name, each]) => `${name}=${JSON.stringify(each)}`)
        .join(' ')

const showAuditLog = shown(
  ...['time=at', 'actor', 'from=address', 'action', 'object'],
  { title: 'before', cell: ({ before }) => fieldsIn(before) },
  { title: 'after', cell: ({ after }) => fieldsIn(after) },
  'reason',
)

export const OPERATING_COMMANDS = commandsIn('Checks', [
  {
    name: 'audit',
    options: { deep: 'also read sealed months again, which takes as long as the ledger is large' },
    summary: 'verify that the ledger is consistent',
  },
  {
    name: 'audit-log',
    options: {
      ...ROWS,
      'object OBJECT': 'only changes of this object, such as key/7',
      'actor ACTOR': 'only changes by this actor, such as person/7 or command-line',
      'action ACTION': "only this action, such as 'key limit'",
      'from TIME': 'only changes since this time, such as 2027-01-31T12:00:00Z',
      'to TIME': 'only changes before this time',
      jsonl: 'print one JSON object on each line',
    },
    summary: 'list who changed what, newest first',
    example: 'audit-log --limit 20',
    rows: 100,
    show: (rows, parsed) =>
      parsed.flags.has('jsonl') ? (rows as object[]).map((row) => JSON.stringify(row)).join('\n') : showAuditLog(rows),
  },
  {
    name: 'node list',
    summary: 'list the running servers that share the database',
    json: itemsOf,
    show: shown(
      'id',
      'version',
      { title: 'ready', cell: ({ ready }) => (ready === null ? null : ready === true ? 'yes' : 'NO') },
      { title: 'revision', cell: ({ configuration }) => (configuration as { revision: number | null }).revision },
      { title: 'drift', cell: ({ drift }) => (drift === true ? 'yes' : null) },
      'started_at',
      'faults',
    ),
  },
  {
    name: 'job list',
    summary: 'list the background jobs with their last run and error',
    json: itemsOf,
    show: shown(
      ...['job=id', 'scope', 'last_run_at', '>ms=duration_ms', 'next_run_at'],
      { title: 'state', cell: ({ failing }) => (failing === true ? 'FAILING' : 'ok') },
      'last_error',
    ),
  },
  {
    name: 'mail test',
    options: { 'to EMAIL!': 'recipient of the email' },
    summary: 'send a test email and show the response of the mail server',
    example: 'mail test --to ada@example.com',
  },
  {
    name: 'system sizes',
    summary: 'estimate the size of each database table; needs a running server',
    show: (result) =>
      table(
        [
          { title: 'table', cell: ({ table: name }: TableSize) => name },
          { title: 'bytes', cell: ({ bytes }) => String(bytes), right: true },
          { title: 'rows', cell: ({ rows }) => (rows === null ? null : String(rows)), right: true },
        ],
        (result as { tables: readonly TableSize[] | null }).tables ?? [],
      ),
  },
])

type TableSize = { table: string; bytes: number; rows: number | null }
