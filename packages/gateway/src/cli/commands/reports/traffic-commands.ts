// The commands that list requests, tasks and transfers.
import { ANY_ACCOUNT, byAccount, ROWS, SECTION } from '../accounts/options.ts'
import { shown } from '../columns.ts'
import { commandsIn, type OptionTexts } from '../declare.ts'

const MODEL: OptionTexts = { 'model MODEL': 'only this model' }
/** What requests are sought by. */
export const FILTERS: OptionTexts = {
  ...ANY_ACCOUNT,
  'key ID': "only this key; 'key list' shows the id",
  ...MODEL,
  'upstream ID': 'only this upstream',
}
/** What requests are for. */
export const ATTRIBUTED: OptionTexts = {
  'tag TAG': 'only requests with this tag, such as team=search',
  'end-user ID': 'only this end user, as receipts name it; with --account also as requests name it',
}
export const OUTCOME: OptionTexts = { 'outcome OUTCOME': 'only this outcome, such as failed' }
const TIMES: OptionTexts = {
  'from TIME': 'only from this time on, such as 2030-01-31T12:00:00Z, yesterday, 7d or 24h',
  'to TIME': 'only before this time',
}

const TASK_ID = { name: 'ID', summary: 'its id, such as cgt-0549a3f2c1e00001, or that of its request' }
const TASK_ACTS = [
  ['cancel', 'cancel a queued video task at its upstream'],
  ['query', 'query the upstream for the state of a video task now'],
  ['release', 'end a video task and release its hold; a finished video is charged'],
] as const

const OF_REQUESTS = commandsIn(SECTION, [
  {
    ...byAccount('usage', 'list the requests of an account, newest first', ROWS),
    rows: 100,
    show: shown('time=at', 'request=request_id', '>key=key_id', 'model', 'upstream', 'outcome', 'cost_usd'),
  },
  {
    name: 'rejected-requests',
    summary: 'count the requests that were rejected before they cost anything, newest first',
    options: {
      ...ANY_ACCOUNT,
      'key ID': "only requests with this key; 'key list' shows the id",
      'since TIME': 'only from this time on, such as 2030-01-31T12:00:00Z, yesterday or 24h',
      ...ROWS,
    },
    example: 'rejected-requests --account ada@example.com --since 2030-01-31',
    rows: 100,
    show: shown(
      ...['minute', 'account=account_id', 'key=key_id', 'code', '>count', 'last request=last_request_id', 'reason'],
    ),
  },
  {
    name: 'request refund',
    positionals: [{ name: 'ID', summary: 'the request id, such as req_0549a3f2c1e00001' }],
    options: {
      'amount USD': 'amount to refund; default: everything not refunded yet',
      'reason TEXT!': 'kept in the ledger',
      'id ID': 'your own id for this refund; repeating it has no further effect',
    },
    summary: 'refund the cost of a request, or a part of it',
    example: 'request refund req_0549a3f2c1e00001 --reason "cut off"',
  },
])

export const TRAFFIC_COMMANDS = [
  ...OF_REQUESTS,
  ...commandsIn('Reports', [
    {
      rows: 100,
      name: 'request list',
      options: {
        ...FILTERS,
        'outcome OUTCOME': 'only this outcome, such as failed; running: open requests; errors: all failures',
        'status STATUS': 'only responses with this status, such as 502',
        'error-code CODE': 'only this error code',
        ...ATTRIBUTED,
        'session ID': 'only this session',
        'client-id ID': "only the caller's x-client-request-id, or trace id of traceparent",
        'vendor-id ID': "only the vendor's id of the request",
        ...TIMES,
        ...ROWS,
      },
      summary: 'list the requests of all accounts, newest first',
      example: 'request list --model gpt-x --from 2030-01-31',
      show: shown(
        ...['time=at', 'request=id', 'account', 'key', '>key_id', 'model', 'upstream', 'outcome'],
        ...['error=error_code', 'cost_usd', 'tags', 'end_user', 'session'],
      ),
    },
    {
      rows: 100,
      name: 'task list',
      options: {
        ...ANY_ACCOUNT,
        'state STATE': 'only this state, such as queued; open: all unfinished tasks',
        ...MODEL,
        'upstream ID': 'only this upstream',
        ...ROWS,
      },
      summary: 'list the video tasks of all accounts, newest first',
      example: 'task list --state queued',
      show: shown(
        ...['created_at', 'task=id', '>account=account_id', 'model', 'upstream', 'state', 'updated_at', 'deadline'],
      ),
    },
    {
      name: 'task show',
      positionals: [TASK_ID],
      summary: 'show a video task of any account',
      example: 'task show cgt-0549a3f2c1e00001',
    },
    ...TASK_ACTS.map(([act, summary]) => ({
      name: `task ${act}` as const,
      positionals: [TASK_ID],
      summary,
      example: `task ${act} cgt-0549a3f2c1e00001`,
      asksServer: true as const,
    })),
    {
      rows: 100,
      name: 'ledger transfers',
      options: {
        ...ANY_ACCOUNT,
        'kind KIND': 'only credit, debit, charge, shortfall or test',
        'reason TEXT': 'only with this reason',
        ...TIMES,
        ...ROWS,
      },
      summary: 'list the transfers of the ledger, newest first',
      example: 'ledger transfers --kind credit --from 2030-01-01',
      show: shown('>id', 'time=at', 'kind', 'from', 'to', 'amount_usd', 'reason', 'request=request_id'),
    },
  ]),
]
