// The fields that the pages' routes return: see ../shape.ts.
import type { Shape } from '../shape.ts'
import type {
  GroupRow,
  KeyPage,
  KeyRow,
  KeyWithSecret,
  ModelNames,
  ModelRow,
  Overview,
  Page,
  Receipt,
  Redeemed,
  RequestPage,
  RequestRow,
  Statement,
  UsageBreakdown,
  UsageSeries,
  Wallet,
  WalletEntry,
} from '../types.ts'

export const KEY: Shape<KeyRow> = {
  id: true,
  name: true,
  last_four: true,
  group: true,
  purpose: true,
  state: true,
  created_at: true,
  expires_at: true,
  last_used_at: true,
  former_secret_until: true,
  cap_usd: true,
  cap_period: true,
  cap_resets_at: true,
  spent_under_cap_usd: true,
  spent_usd: true,
  held_usd: true,
  models: [true],
  networks: [true],
  limits: { rpm: true, tpm: true, concurrent: true },
}
export const KEYS: Shape<KeyPage> = { items: [KEY], next: true, total: true }
export const KEY_WITH_SECRET: Shape<KeyWithSecret> = { key: KEY, secret: true }
export const GROUPS: Shape<GroupRow[]> = [{ id: true, multiplier: true, models: true, is_default: true }]

export const MODELS: Shape<ModelRow[]> = [
  {
    id: true,
    type: true,
    compared_by: [true],
    vendor: true,
    prices: [{ group: true, price: true }],
    limits: true,
    protocols: [true],
    capabilities: [true],
    median_first_token_ms: true,
    healthy: true,
  },
]
export const MODEL_NAMES: Shape<ModelNames> = { items: [true], total: true }

const REQUEST: Shape<RequestRow> = {
  request_id: true,
  at: true,
  model: true,
  key_id: true,
  key_name: true,
  input_tokens: true,
  output_tokens: true,
  cost_usd: true,
  first_token_ms: true,
  total_ms: true,
  outcome: true,
}
export const REQUESTS: Shape<RequestPage> = { items: [REQUEST], next: true }
export const RECEIPT: Shape<Receipt> = {
  request_id: true,
  at: true,
  model: true,
  key_id: true,
  key_name: true,
  group: true,
  upstream: true,
  answered_by: true,
  attempts: [{ model: true, outcome: true, upstream: true }],
  state: true,
  outcome: true,
  finish: true,
  units: true,
  reasoning_tokens: true,
  tools: true,
  tier: true,
  counted: true,
  price: true,
  formula: true,
  rounding_usd: true,
  cost_usd: true,
  shortfall_usd: true,
  lines: [{ name: true, count: true, price_usd: true, per: true, factors: [true], cost_usd: true }],
  held_usd: true,
  timing: { first_token_ms: true, total_ms: true },
  warnings: [true],
}
export const SERIES: Shape<UsageSeries> = {
  step: true,
  from: true,
  to: true,
  total: { requests: true, tokens: true, cost_usd: true },
  points: [{ at: true, name: true, label: true, requests: true, tokens: true, cost_usd: true }],
}

export const BREAKDOWN: Shape<UsageBreakdown> = {
  items: [{ name: true, label: true, requests: true, tokens: true, cost_usd: true }],
  others: { names: true, requests: true, tokens: true, cost_usd: true },
}

export const OVERVIEW: Shape<Overview> = {
  balance_usd: true,
  credit_line_usd: true,
  held_usd: true,
  available_usd: true,
  spent_today_usd: true,
  spent_this_month_usd: true,
  days: [{ at: true, cost_usd: true, requests: true }],
  requests: [REQUEST],
  keys: true,
}

export const WALLET: Shape<Wallet> = {
  balance_usd: true,
  credit_line_usd: true,
  held_usd: true,
  available_usd: true,
  cap_usd: true,
  cap_period: true,
  cap_resets_at: true,
  cap_left_usd: true,
  low_balance_usd: true,
  support_url: true,
  open: [{ request_id: true, at: true, model: true, key_name: true, held_usd: true }],
}
export const HISTORY: Shape<Page<WalletEntry>> = {
  items: [{ kind: true, at: true, reason: true, amount_usd: true, requests: true, balance_after_usd: true }],
  next: true,
}
export const STATEMENTS: Shape<Statement[]> = [{ month: true, credited_usd: true, spent_usd: true }]
export const REDEEMED: Shape<Redeemed> = { amount_usd: true, balance_usd: true }
