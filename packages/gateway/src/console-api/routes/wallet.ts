// Wallet: balance, history, statements, redemption codes.
import type { Static } from 'typebox'
import { PERIOD, REDEMPTION } from '../../administration/inputs/schemas.ts'
import {
  BALANCES,
  fields,
  ID,
  listOf,
  nullable,
  number,
  optional,
  pageOf,
  string,
  TIME,
  USD,
  WRITTEN_TIME,
  word,
} from '../../request/schema/schema.ts'
import type { RouteDeclaration, RouteName } from './route.ts'

const WALLET = fields({
  ...BALANCES,
  /** The operator's cap on the whole account; null: none. */
  cap_usd: nullable(USD),
  cap_period: nullable(PERIOD),
  cap_resets_at: nullable(TIME),
  cap_left_usd: nullable(USD),
  low_balance_usd: nullable(USD),
  support_url: nullable(string()),
  open: listOf(fields({ request_id: ID, at: TIME, model: string(), key_name: string(), held_usd: USD })),
})
export type Wallet = Static<typeof WALLET>

const HISTORY_QUERY = fields({ before: optional(WRITTEN_TIME) })
export type HistoryQuery = Static<typeof HISTORY_QUERY>
const ENTRY = fields({
  kind: word('credit', 'debit', 'usage'),
  at: TIME,
  reason: string(),
  amount_usd: USD,
  requests: number(),
  balance_after_usd: USD,
})
export type WalletEntry = Static<typeof ENTRY>
const HISTORY = pageOf(ENTRY)
export type WalletHistory = Static<typeof HISTORY>
const STATEMENTS = listOf(fields({ month: string(), credited_usd: USD, spent_usd: USD }))
export type Statement = Static<typeof STATEMENTS>[number]

export type RedeemCode = Static<typeof REDEMPTION>
const REDEEMED = fields({ amount_usd: USD, balance_usd: USD })
export type Redeemed = Static<typeof REDEEMED>

export const WALLET_ROUTES = {
  'GET wallet': { policy: 'member', summary: 'The balance, and what is held for which requests', output: WALLET },
  'GET wallet/history': {
    policy: 'owner',
    summary: 'Credits, debits and charges by day, the newest first',
    query: HISTORY_QUERY,
    output: HISTORY,
  },
  'GET wallet/statements': {
    policy: 'owner',
    summary: 'Lists the months with entries, the newest first',
    output: STATEMENTS,
  },
  'GET wallet/statements/{month}': {
    policy: 'owner',
    summary: 'The statement of a month, such as 2026-01.csv, as a file',
    output: 'csv',
  },
  'POST wallet/redeem': {
    policy: 'owner',
    summary: 'Turns a redemption code into credit',
    body: REDEMPTION,
    example: { code: 'ABCD-EFGH-JKLM-NPQR' },
    output: REDEEMED,
  },
} as const satisfies Record<RouteName, RouteDeclaration>
