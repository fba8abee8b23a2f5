// The commands that look at the gateway itself: its ledger, its audit log, its nodes and jobs.
import type { StoreCommand } from '../../command.ts'
import { table } from '../../table.ts'
import { ROWS } from '../accounts/options.ts'
import { figure, showAuditLog, shown, text, time } from '../columns.ts'
import { present } from '../inputs.ts'

/** These lists have one page. */
export const itemsOf = ({ items }: { items: readonly object[] }) => items

export const OPERATING_COMMANDS: readonly StoreCommand[] = [
  {
    name: 'audit',
    section: 'Checks',
    positionals: [],
    options: [],
    summary: 'verify that the ledger is consistent',
    example: 'audit',
    input: () => ({}),
  },
  {
    name: 'audit-log',
    section: 'Checks',
    positionals: [],
    options: [
      ROWS,
      { name: 'object', value: 'OBJECT', summary: 'only changes of this object, such as key/7' },
      { name: 'actor', value: 'ACTOR', summary: 'only changes by this actor, such as person/7 or command-line' },
      { name: 'action', value: 'ACTION', summary: "only this action, such as 'key limit'" },
      { name: 'from', value: 'TIME', summary: 'only changes since this time, such as 2027-01-31T12:00:00Z' },
      { name: 'to', value: 'TIME', summary: 'only changes before this time' },
      { name: 'jsonl', summary: 'print one JSON object on each line' },
    ],
    summary: 'list who changed what, newest first',
    example: 'audit-log --limit 20',
    input: ({ values: { object, actor, action, from, to } }) =>
      present([
        ['object', object],
        ['actor', actor],
        ['action', action],
        ['from', from],
        ['to', to],
      ]),
    rows: 100,
    show: (rows, parsed) =>
      parsed.flags.has('jsonl') ? (rows as object[]).map((row) => JSON.stringify(row)).join('\n') : showAuditLog(rows),
  },
  {
    name: 'node list',
    section: 'Checks',
    positionals: [],
    options: [],
    summary: 'list the running servers that share the database',
    example: 'node list',
    input: () => ({}),
    json: itemsOf,
    show: shown([
      text('id', 'id'),
      text('version', 'version'),
      { title: 'ready', cell: ({ ready }) => (ready === null ? null : ready === true ? 'yes' : 'NO') },
      { title: 'revision', cell: ({ configuration }) => (configuration as { revision: number | null }).revision },
      { title: 'drift', cell: ({ drift }) => (drift === true ? 'yes' : null) },
      time('started', 'started_at'),
      text('faults', 'faults'),
    ]),
  },
  {
    name: 'job list',
    section: 'Checks',
    positionals: [],
    options: [],
    summary: 'list the background jobs with their last run and error',
    example: 'job list',
    input: () => ({}),
    json: itemsOf,
    show: shown([
      text('job', 'id'),
      text('scope', 'scope'),
      time('last run', 'last_run_at'),
      figure('ms', 'duration_ms'),
      time('next run', 'next_run_at'),
      { title: 'state', cell: ({ failing }) => (failing === true ? 'FAILING' : 'ok') },
      text('last error', 'last_error'),
    ]),
  },
  {
    name: 'mail test',
    section: 'Checks',
    positionals: [],
    options: [{ name: 'to', value: 'EMAIL', required: true, summary: 'recipient of the email' }],
    summary: 'send a test email and show the response of the mail server',
    example: 'mail test --to ada@example.com',
    input: ({ values: { to } }) => ({ to }),
  },
  {
    name: 'system sizes',
    section: 'Checks',
    positionals: [],
    options: [],
    summary: 'estimate the size of each database table; needs a running server',
    example: 'system sizes',
    input: () => ({}),
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
]

type TableSize = { table: string; bytes: number; rows: number | null }
