// The account's requests with filters, as pages and as a file.
import type { Static } from 'typebox'
import { type CsvLine, csvResponse } from '../../http-api/files/file-response.ts'
import { given } from '../../operate/inputs/page.ts'
import { ATTRIBUTED } from '../../operate/inputs/schemas.ts'
import { attributionOf } from '../../operate/reports/requests.ts'
import { ATTRIBUTION } from '../../operate/resources/traffic.ts'
import { mapInTurns } from '../../overload/reads/in-turns.ts'
import { tokensIn } from '../../paid-call/receipts/show-charge.ts'
import { summarize } from '../../paid-call/receipts/show-receipt.ts'
import { formatRequestId, parseRequestId } from '../../request/ids.ts'
import {
  fields,
  ID,
  nullable,
  number,
  optional,
  pageOf,
  REQUEST_ID,
  string,
  TIME,
  USD,
} from '../../request/schema/schema.ts'
import type { RequestFilter, UsageRow } from '../../storage/storage.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import { route } from '../route.ts'
import { keyNames, scopeOf, type Viewer } from './scope.ts'
import { filterOf, PERIOD } from './usage.ts'

const PAGE = 50
/** The rows of a CSV file that spreadsheets can open. */
const MOST_CSV_ROWS = 1_000_000
/** So many are read and written at a time, without a pause for other requests. */
const CSV_PAGE = 500

/** `outcome=running` for open ones, `outcome=errors` for all that failed. */
const QUERY = fields({
  ...PERIOD,
  session: ATTRIBUTED.session,
  outcome: optional(string()),
  before: optional(REQUEST_ID),
})
type Query = Static<typeof QUERY>

/** A request as lists show it. */
export const REQUEST = fields({
  request_id: ID,
  at: TIME,
  model: string(),
  key_id: ID,
  key_name: string(),
  input_tokens: nullable(number('Null while it runs, and where nothing was counted.')),
  output_tokens: nullable(number()),
  cost_usd: USD,
  first_token_ms: nullable(number()),
  total_ms: nullable(number()),
  outcome: string(),
  ...ATTRIBUTION,
})
type RequestSummary = Static<typeof REQUEST>
const REQUESTS = pageOf(REQUEST)

export const listRequests = route(
  'GET requests',
  {
    policy: 'member',
    summary: 'Lists requests, the newest first, 50 on a page',
    query: QUERY,
    output: REQUESTS,
  },
  (call, deps) => readRequests(call, call.query, deps, PAGE),
)

export const downloadRequests = route(
  'GET requests.csv',
  { policy: 'member', summary: 'All requests that the filters admit, as a file', query: QUERY, output: 'csv' },
  (call, deps) => csvResponse(call, 'requests', requestLines(call, call.query, deps), deps),
)

async function readRequests(
  viewer: Viewer,
  query: Query,
  deps: ConsoleDependencies,
  limit: number,
): Promise<Static<typeof REQUESTS>> {
  const { rows, next } = await deps.store.spending.requests(
    viewer.account.id,
    { ...filterIn(query, viewer, deps), ...scopeOf(viewer) },
    limit,
  )
  return { items: await requestRows(rows, deps), next: next === undefined ? null : formatRequestId(next) }
}

/** The lines of everything that the filters admit, newest first, page by page, up to a limit. */
async function* requestLines(viewer: Viewer, query: Query, deps: ConsoleDependencies): AsyncGenerator<CsvLine[], void> {
  let rest = query
  let head = [CSV_HEAD]
  for (let count = 0; count < MOST_CSV_ROWS; ) {
    const { items, next } = await readRequests(viewer, rest, deps, CSV_PAGE)
    count += items.length
    yield [...head, ...items.map((row) => CSV_FIELDS.map((field) => cellOf(row[field])))]
    if (next === null) return
    head = []
    rest = { ...query, before: next }
  }
}

const CSV_FIELDS = [
  ...(['request_id', 'at', 'model', 'key_id', 'key_name', 'input_tokens', 'output_tokens', 'cost_usd'] as const),
  ...(['first_token_ms', 'total_ms', 'outcome', 'tags', 'end_user', 'session'] as const),
] satisfies (keyof RequestSummary)[]
/** As the files of the admin API have lists. */
const cellOf = (value: RequestSummary[keyof RequestSummary]): string =>
  Array.isArray(value) ? value.join(';') : String(value ?? '')
const CSV_HEAD: string[] = [...CSV_FIELDS]

export async function requestRows(rows: readonly UsageRow[], deps: ConsoleDependencies): Promise<RequestSummary[]> {
  const names = await keyNames(deps.store.keys, rows)
  return mapInTurns(rows, (row) => {
    const { request_id, at, model, key_id, units, cost_usd, timing, outcome } = summarize(row)
    return {
      request_id,
      at,
      model,
      key_id,
      key_name: names.get(row.key) ?? '',
      ...tokensIn(units),
      cost_usd,
      ...timing,
      outcome,
      ...attributionOf(row),
    }
  })
}

const filterIn = (
  { outcome, before, session, ...query }: Query,
  { account }: Viewer,
  deps: ConsoleDependencies,
): RequestFilter =>
  given({
    ...filterOf(query, account.id, deps),
    session,
    outcome,
    before: before === undefined ? undefined : parseRequestId(before),
  })
