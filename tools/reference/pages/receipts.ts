// docs/reference/receipts.md

import { SETTLED } from '@trivium/gateway/money/ledger.ts'
import { REQUEST_SHOWN } from '@trivium/gateway/operate/resources/traffic.ts'
import type { Outcome } from '@trivium/gateway/paid-call/outcome.ts'
import { type Audience, showReceipt } from '@trivium/gateway/paid-call/receipts/show-receipt.ts'
import type { UsageRow } from '@trivium/gateway/storage/storage.ts'
import type { Generated } from '../generated.ts'
import { code, table } from '../markdown.ts'

const file = 'docs/reference/receipts.md'

type KeysOf<T> = T extends unknown ? keyof T : never
type Field = KeysOf<ReturnType<typeof showReceipt>>

const FIELDS: Readonly<Record<Field, string>> = {
  request_id: 'the `x-request-id` of the response',
  client_request_id:
    'what the caller sent as `x-client-request-id`, or the trace id of its `traceparent`; null: neither, or a video task',
  upstream_request_id: 'what the vendor calls the last attempt; only with `server.show_upstreams`, and for operators',
  at: 'when the request arrived',
  key_id: 'the key that paid',
  tags: 'the tags that it counts under, with those of its key',
  end_user: 'whom it was for, as the gateway keeps it: hashed by default',
  session: 'the session that it belongs to',
  budgets:
    'the budgets of the account that it counted against, at most 8: `id`, `kind`, `value` (tag, end user or model), `hard`, and `left_usd`, which was left before it; for operators also those across accounts, without `left_usd`',
  model: 'the model that was requested',
  group: "the key's group, which determines models and multiplier",
  configuration:
    'what it was priced by: `revision` of the stored configuration, and `file`, the first digits of a hash of the configuration file',
  attempts:
    'every attempt with its `model` and `outcome`, the one that answered or failed finally comes last; for operators also `upstream`, and of failed ones what happened: `error` (the [code](errors.md)), the `status`, `vendor_code` and `vendor_message` of the upstream (300 characters, secrets masked), `reason` and `duration_ms`',
  state: '`open` while it runs, `settled`, `voided` (no cost), or `reaped` (its gateway died; may be corrected once)',
  outcome: 'how it ended: see [outcomes](#outcomes)',
  finish: "the model's own finish reason, as the upstream names it",
  error:
    'if the request failed at an upstream: the [`code`](errors.md) and the `status` that the upstream sent; with `server.show_upstreams` also `upstream_request_id`',
  units:
    'what was counted: tokens by kind, images, seconds, characters ([billing](billing.md)); those that are 0 are left out, except input and output',
  reasoning_tokens: 'reasoning within the output, if known',
  tools: "calls of the vendor's hosted tools that were charged",
  tier: 'the service tier that was charged, or that the upstream reported',
  counted: 'why the gateway counted the units itself: the upstream reported none, or impossible ones',
  price:
    'prices in USD and the multiplier of the group, as they were when the request was accepted; `version` names the price',
  formula: 'the calculation; its result is `cost_usd` + `shortfall_usd`, rounded up once to 10^-9 USD',
  cost_usd: 'what was charged',
  shortfall_usd: 'the part of the cost that exceeded hold and balance; the caller does not pay it',
  held_usd: 'what is held while the request runs; afterwards, what was held',
  timing: '`first_token_ms` and `total_ms`, from the arrival of the request',
  warnings:
    'what was dropped or changed, as in `x-trivium-warnings`: at most 32; `warnings;cut` is last if there were more',
  answered_by: 'the fallback model that answered; absent if the requested one did',
  upstream: 'the upstream that answered; only with `server.show_upstreams`, and for operators',
  upstream_cost_usd: 'operators: what the upstream charges, if the route names its cost',
  receipt: 'operators: the receipt as it is stored, with prices in nano-USD',
}

/** What `request show` and the admin API add. */
const MORE: Readonly<Record<string, string>> = {
  object: 'always `request`',
  id: 'the same as `request_id`',
  account_id: 'the account that paid',
  account: 'its name',
  key: 'the name of the key',
  error_code: '`code` of `error`',
  status: 'the status that the client got; null if unknown',
  response: 'what the client got: `status`, and `code` and `message` of an error',
  input_tokens: 'the sum of all units that are input tokens',
  output_tokens: 'the sum of all units that are output tokens',
  lines: 'the formula in lines: `count` x `price_usd` / `per` x `factors` = `cost_usd`',
  rounding_usd: 'what rounding up added to the lines',
  refunded_usd: 'what was refunded',
}

const OUTCOMES: Readonly<Record<Outcome | 'running' | 'reaped', string>> = {
  running: 'the request has not ended',
  completed: 'the model finished',
  incomplete: 'the output limit was reached',
  content_filtered: "the upstream's filter ended the answer",
  stopped_by_balance: 'the balance was too low for more output',
  failed: 'an error status, an error within the response, or a response that cannot be read',
  cut: 'the upstream closed the connection',
  timeout: 'a limit of `timeouts` was reached',
  client_disconnected: 'the client disconnected',
  shutdown: 'the gateway stopped before the request had ended',
  cancelled: 'a task was cancelled',
  expired: 'a video task did not finish by its deadline',
  reaped: 'the gateway died; another one resolved the hold',
}

const ROW: UsageRow = {
  request: 0x0549a3f2c1e00001n,
  key: 7n,
  model: 'my-text',
  upstream: 'main',
  state: SETTLED,
  outcome: 'completed',
  held: 21_000_000n,
  heldAt: 0,
  tokens: 1_500,
  cost: 5_520_000n,
  shortfall: 0n,
  tags: [],
  endUser: '',
  session: '',
  budgets: [],
  receipt: JSON.stringify({
    group: 'default',
    configuration: { revision: 3, file: '9f2c61d0a7b4' },
    units: { input: 1_200, cached_input: 800, output: 300 },
    reasoning_tokens: 120,
    finish: 'stop',
    first_token_ms: 410,
    total_ms: 5_230,
    warnings: ['seed;dropped'],
    upstream_cost: '0.0046',
    price: {
      version: '7776c2f75b97',
      input: '2000000000',
      cached_input: '500000000',
      cache_write: '2500000000',
      output: '6000000000',
      multiplier_millionths: '1200000',
    },
  }),
}
const shown = (audience: Audience) => showReceipt(ROW, audience)

const fieldsText = (): string =>
  table(
    ['Field', 'Meaning'],
    Object.entries(FIELDS).map(([name, meaning]) => [code(name), meaning]),
  )

function moreText(): string {
  const names = Object.keys(REQUEST_SHOWN.properties).filter((name) => !Object.hasOwn(FIELDS, name))
  return table(
    ['Field', 'Meaning'],
    names.map((name) => {
      if (MORE[name] === undefined) throw new Error(`tools/reference/pages/receipts.ts lacks the field ${name}`)
      return [code(name), MORE[name]]
    }),
  )
}

const exampleText = (): string =>
  [
    '<!-- checked by: tools/reference/reference.test.ts -->',
    '```json',
    JSON.stringify(shown('caller'), null, 2),
    '```',
  ].join('\n')

const outcomesText = (): string =>
  table(
    ['Outcome', 'Meaning'],
    Object.entries(OUTCOMES).map(([name, meaning]) => [code(name), meaning]),
  )

export const RECEIPTS_PAGE: readonly Generated[] = [
  { file, section: 'example', text: exampleText },
  { file, section: 'fields', text: fieldsText },
  { file, section: 'operators', text: moreText },
  { file, section: 'outcomes', text: outcomesText },
]
