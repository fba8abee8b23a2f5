// The commands that list requests, tasks and transfers.
import type { Option, StoreCommand } from '../../command.ts'
import { ANY_ACCOUNT, byAccount, ROWS, SECTION } from '../accounts/options.ts'
import { figure, shown, showRejectedRequests, showUsage, text, time } from '../columns.ts'
import { present, pastTime as timeOf, type Values, wholeNumber } from '../inputs.ts'

const MODEL: Option = { name: 'model', value: 'MODEL', summary: 'only this model' }
/** What requests are sought by. */
export const FILTERS: readonly Option[] = [
  ANY_ACCOUNT,
  { name: 'key', value: 'ID', summary: "only this key; 'key list' shows the id" },
  MODEL,
  { name: 'upstream', value: 'ID', summary: 'only this upstream' },
]
export const OUTCOME: Option = { name: 'outcome', value: 'OUTCOME', summary: 'only this outcome, such as failed' }
const TIMES: readonly Option[] = [
  {
    name: 'from',
    value: 'TIME',
    summary: 'only from this time on, such as 2030-01-31T12:00:00Z, yesterday, 7d or 24h',
  },
  { name: 'to', value: 'TIME', summary: 'only before this time' },
]
const LISTED = { section: 'Reports', positionals: [], rows: 100 } as const

const TASK_ID = { name: 'ID', summary: 'its id, such as cgt-0549a3f2c1e00001, or that of its request' }
const TASK_ACTS = [
  ['cancel', 'cancel a queued video task at its upstream'],
  ['query', 'query the upstream for the state of a video task now'],
  ['release', 'end a video task and release its hold; a finished video is charged'],
] as const

export const TRAFFIC_COMMANDS: readonly StoreCommand[] = [
  {
    ...byAccount('usage', 'list the requests of an account, newest first', [ROWS]),
    rows: 100,
    show: showUsage,
  },
  {
    name: 'rejected-requests',
    section: SECTION,
    positionals: [],
    summary: 'count the requests that were rejected before they cost anything, newest first',
    options: [
      ANY_ACCOUNT,
      { name: 'key', value: 'ID', summary: "only requests with this key; 'key list' shows the id" },
      {
        name: 'since',
        value: 'TIME',
        summary: 'only from this time on, such as 2030-01-31T12:00:00Z, yesterday or 24h',
      },
      ROWS,
    ],
    example: 'rejected-requests --account ada@example.com --since 2030-01-31',
    input: ({ values: { account, key, since } }) =>
      present([
        ['account', account],
        ['key', key],
        ['from', since === undefined ? undefined : timeOf(since)],
      ]),
    rows: 100,
    show: showRejectedRequests,
  },
  {
    ...LISTED,
    name: 'request list',
    options: [
      ...FILTERS,
      { ...OUTCOME, summary: 'only this outcome, such as failed; running: open requests; errors: all failures' },
      { name: 'status', value: 'STATUS', summary: 'only responses with this status, such as 502' },
      { name: 'error-code', value: 'CODE', summary: 'only this error code' },
      { name: 'client-id', value: 'ID', summary: "only the caller's x-client-request-id, or trace id of traceparent" },
      { name: 'vendor-id', value: 'ID', summary: "only the vendor's id of the request" },
      ...TIMES,
      ROWS,
    ],
    summary: 'list the requests of all accounts, newest first',
    example: 'request list --model gpt-x --from 2030-01-31',
    input: ({ values }) => ({
      ...filtersIn(values, ['account', 'key', 'model', 'upstream', 'outcome', 'error-code']),
      ...present([
        ['client_request_id', values['client-id']],
        ['upstream_request_id', values['vendor-id']],
        ['status', values.status && wholeNumber(values.status)],
      ]),
    }),
    show: shown([
      time('time', 'at'),
      text('request', 'id'),
      text('account', 'account'),
      text('key', 'key'),
      figure('key id', 'key_id'),
      text('model', 'model'),
      text('upstream', 'upstream'),
      text('outcome', 'outcome'),
      text('error', 'error_code'),
      figure('cost usd', 'cost_usd'),
    ]),
  },
  {
    ...LISTED,
    name: 'task list',
    options: [
      ANY_ACCOUNT,
      { name: 'state', value: 'STATE', summary: 'only this state, such as queued; open: all unfinished tasks' },
      MODEL,
      { name: 'upstream', value: 'ID', summary: 'only this upstream' },
      ROWS,
    ],
    summary: 'list the video tasks of all accounts, newest first',
    example: 'task list --state queued',
    input: ({ values }) => filtersIn(values, ['account', 'state', 'model', 'upstream']),
    show: shown([
      time('created', 'created_at'),
      text('task', 'id'),
      figure('account', 'account_id'),
      text('model', 'model'),
      text('upstream', 'upstream'),
      text('state', 'state'),
      time('updated', 'updated_at'),
      time('deadline', 'deadline'),
    ]),
  },
  {
    name: 'task show',
    section: 'Reports',
    positionals: [TASK_ID],
    options: [],
    summary: 'show a video task of any account',
    example: 'task show cgt-0549a3f2c1e00001',
    input: ({ positionals: [task] }) => ({ task }),
  },
  ...TASK_ACTS.map(
    ([act, summary]): StoreCommand => ({
      name: `task ${act}`,
      section: 'Reports',
      positionals: [TASK_ID],
      options: [],
      summary,
      example: `task ${act} cgt-0549a3f2c1e00001`,
      input: ({ positionals: [task] }) => ({ task }),
      asksServer: true,
    }),
  ),
  {
    name: 'request refund',
    section: SECTION,
    positionals: [{ name: 'ID', summary: 'the request id, such as req_0549a3f2c1e00001' }],
    options: [
      { name: 'amount', value: 'USD', summary: 'amount to refund; default: everything not refunded yet' },
      { name: 'reason', value: 'TEXT', required: true, summary: 'kept in the ledger' },
      { name: 'id', value: 'ID', summary: 'your own id for this refund; repeating it has no further effect' },
    ],
    summary: 'refund the cost of a request, or a part of it',
    example: 'request refund req_0549a3f2c1e00001 --reason "cut off"',
    input: ({ positionals: [request], values: { amount, reason, id } }) =>
      present([
        ['request', request],
        ['amount_usd', amount],
        ['reason', reason],
        ['id', id],
      ]),
  },
  {
    ...LISTED,
    name: 'ledger transfers',
    options: [
      ANY_ACCOUNT,
      { name: 'kind', value: 'KIND', summary: 'only credit, debit, charge, shortfall or test' },
      { name: 'reason', value: 'TEXT', summary: 'only with this reason' },
      ...TIMES,
      ROWS,
    ],
    summary: 'list the transfers of the ledger, newest first',
    example: 'ledger transfers --kind credit --from 2030-01-01',
    input: ({ values }) => filtersIn(values, ['account', 'kind', 'reason']),
    show: shown([
      figure('id', 'id'),
      time('time', 'at'),
      text('kind', 'kind'),
      text('from', 'from'),
      text('to', 'to'),
      figure('amount usd', 'amount_usd'),
      text('reason', 'reason'),
      text('request', 'request_id'),
    ]),
  },
]

/** Each option is the field of its name. */
function filtersIn(values: Values, names: readonly string[]): object {
  const given = (name: string) => (values[name] === undefined ? undefined : timeOf(values[name]))
  const fields = names.map((name) => [name.replaceAll('-', '_'), values[name]] as const)
  return present([...fields, ['from', given('from')], ['to', given('to')]])
}
