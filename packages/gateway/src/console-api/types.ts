// The console API as the web app sees it: what each route takes and returns. Types only; the console imports this file.
// Amounts are decimal USD as text, times are ISO 8601 in UTC, ids are text.

/** The body of every error, as in the chat dialect. */
export type ErrorBody = { error: { message: string; type: string; param: string | null; code: string } }

export type Page<T> = { items: T[]; next: string | null }

// Before sign-in

/** GET /console/api/about, for everyone. */
export type About = {
  name: string
  support_url: string | null
  registration: { open: boolean; trial_credit_usd: string }
  /** Whether emails can be sent: verification and reset of passwords. */
  mail: boolean
  password: { min_length: number; max_length: number }
  /** The URL that clients use: `server.public_url`, else the origin of this request. */
  base_url: string
  version: string
}

/** POST /console/api/register and POST /console/api/sign-in take this. `code`: of the authenticator app, or a recovery code. */
export type Credentials = { email: string; password: string; code?: string }
/** The answer of register. It also signs in if the request comes from a page of the console. */
export type Registered = { id: string; email: string; trial_credit_usd: string; notice: string | null }
/** The answer of sign-in. `second_factor_required`: send the credentials again, with a code. */
export type SignInResult = { signed_in: true } | { signed_in: false; second_factor_required: true }

/** POST /console/api/password/forgot: always 202, so that the answer does not tell which addresses have accounts. */
export type ForgotPassword = { email: string }
/** POST /console/api/password/reset */
export type ResetPassword = { token: string; password: string }
/** POST /console/api/email/verify */
export type LinkToken = { token: string }
/** POST /console/api/setup. `password_required`: send the token again, with a new password. */
export type SetUp = { token: string; password?: string }
export type SetUpResult = SignInResult | { signed_in: false; password_required: true }

// Account and settings

/** GET /console/api/session */
export type SessionInfo = {
  account: { id: string; email: string; created_at: string; email_verified: boolean; has_password: boolean }
  balance_usd: string
  /** Amounts that contain the credit line, and the line itself, may be `unlimited`. */
  credit_line_usd: string
  held_usd: string
  available_usd: string
  low_balance_usd: string | null
  is_low: boolean
  second_factor: boolean
  /** Signed in by the link of the first start: a password can be set without the former one. */
  may_set_password: boolean
  language: string | null
}

/** POST /console/api/password. `current` is required if the account has a password. Ends all other sessions. */
export type ChangePassword = { current?: string; password: string }
/** POST /console/api/preferences */
export type ChangePreferences = { low_balance_usd?: string | null; language?: 'en' | 'zh' | null }
/** GET /console/api/sessions; DELETE /console/api/sessions/{id}; POST /console/api/sign-out; POST /console/api/sign-out-everywhere */
export type SignedInBrowser = {
  id: string
  user_agent: string
  address: string
  created_at: string
  seen_at: string
  current: boolean
}
/** POST /console/api/second-factor/begin: nothing holds until it is confirmed by a code. */
export type BegunSecondFactor = { secret: string; uri: string }
/** POST /console/api/second-factor/confirm */
export type ConfirmSecondFactor = { secret: string; code: string; password: string }
/** Shown once. */
export type RecoveryCodes = { recovery_codes: string[] }
/** POST /console/api/second-factor/remove */
export type RemoveSecondFactor = { password: string; code: string }

// Overview

/** `name`: the model or the id of the key; empty for all but the largest ones. `label`: how it is shown. */
export type SeriesPoint = {
  at: string
  name: string
  label: string
  requests: number
  tokens: number
  cost_usd: string
}

/** GET /console/api/overview */
export type Overview = {
  balance_usd: string
  /** Amounts that contain the credit line, and the line itself, may be `unlimited`. */
  credit_line_usd: string
  held_usd: string
  available_usd: string
  spent_today_usd: string
  spent_this_month_usd: string
  /** The last 14 days (UTC), days without charges included. */
  days: { at: string; cost_usd: string; requests: number }[]
  requests: RequestRow[]
  /** Without the built-in key. 0: the first-run path is shown. */
  keys: number
}

// Keys

export type Limits = { rpm: number | null; tpm: number | null; concurrent: number | null }

export type KeyRow = {
  id: string
  name: string
  last_four: string
  group: string
  /** `playground`: the built-in key of the playground; it can be limited, not rotated or deleted. */
  purpose: 'client' | 'playground'
  state: 'active' | 'expired' | 'deleted'
  created_at: string
  expires_at: string | null
  last_used_at: string | null
  former_secret_until: string | null
  cap_usd: string | null
  cap_period: 'day' | 'week' | 'month' | null
  cap_resets_at: string | null
  /** What counts against the cap now. */
  spent_under_cap_usd: string
  spent_usd: string
  held_usd: string
  models: string[] | null
  networks: string[] | null
  limits: Limits
}

/** GET /console/api/keys?state=active|expired|deleted&name=...&before=... (50 per page) */
export type KeyPage = Page<KeyRow> & { total: number }

/** POST /console/api/keys */
export type NewKey = {
  name: string
  group?: string
  cap_usd?: string | null
  cap_period?: 'day' | 'week' | 'month' | null
  expires_at?: string | null
  models?: string[] | null
  networks?: string[] | null
  limits?: Partial<Limits>
}
/** GET /console/api/keys/{id}; POST /console/api/keys/{id}: only the fields that are present change. */
export type ChangeKey = Partial<NewKey>
/** POST /console/api/keys/{id}/rotate. `grace_seconds`: how long the former secret works, at most a week. DELETE /console/api/keys/{id} */
export type RotateKey = { grace_seconds: number }
/** The secret is shown once. */
export type KeyWithSecret = { key: KeyRow; secret: string }

/** GET /console/api/groups: those that the account may choose. */
export type GroupRow = { id: string; multiplier: string; models: number; is_default: boolean }

// Models

/** GET /console/api/models: every model of every group that the account may choose, once, with the prices of each group. */
export type ModelRow = {
  id: string
  type: string
  /** The figures by which prices of this type are compared, the preferred ones first. */
  compared_by: string[]
  /** Null: unknown. */
  vendor: string | null
  /** As GET /v1/models shows them: figures in USD by name. */
  prices: { group: string; price: Record<string, unknown> }[]
  limits: Record<string, unknown>
  protocols: string[]
  /** Besides text; of an image model `images` means edits. Null: unknown. */
  capabilities: ('images' | 'tools' | 'reasoning')[] | null
  /** Over the last 24 hours; null: no traffic. */
  median_first_token_ms: number | null
  /** False: the last attempt at each of its upstreams failed. */
  healthy: boolean
}

/** GET /console/api/model-names?search=...: the first models whose id contains the text, whatever its case. */
export type ModelNames = { items: string[]; total: number }

// Usage

/** GET /console/api/usage?from=...&to=...&step=hour|day&by=model|key&model=...&key=... */
export type UsageSeries = {
  step: 'hour' | 'day' | 'month'
  from: string
  to: string
  points: SeriesPoint[]
  total: { requests: number; tokens: number; cost_usd: string }
}

/** GET /console/api/usage/breakdown?from=...&to=...&step=...&by=model|key&model=...&key=...: what cost most comes first. */
export type UsageBreakdown = {
  /** `name`: the model, or the id of the key. `label`: how it is shown. */
  items: { name: string; label: string; requests: number; tokens: number; cost_usd: string }[]
  /** The sum of so many models or keys that are not listed. */
  others: { names: number; requests: number; tokens: number; cost_usd: string } | null
}

export type RequestRow = {
  request_id: string
  at: string
  model: string
  key_id: string
  key_name: string
  /** Null while it runs, and where nothing was counted. */
  input_tokens: number | null
  output_tokens: number | null
  cost_usd: string
  first_token_ms: number | null
  total_ms: number | null
  outcome: string
}
/** GET /console/api/requests?from&to&model&key&outcome&before, 50 per page, `outcome=running` for open ones; GET /console/api/requests.csv with the same filters. */
export type RequestPage = Page<RequestRow>
/** `count` x `price_usd` / `per` x `factors` = `cost_usd`, exact. */
export type ChargeLine = {
  name: string
  count: number
  price_usd: string
  per: number
  /** Multipliers of the service tier and of the group. */
  factors: string[]
  cost_usd: string
}
/** GET /console/api/requests/{id}: as GET /v1/usage/{request_id}, with the formula as lines. */
export type Receipt = {
  request_id: string
  at: string
  model: string
  key_id: string
  key_name: string
  group: string | null
  /** Only if the operator shows upstreams. */
  upstream?: string
  /** The fallback model that answered. */
  answered_by?: string
  attempts: { model: string; outcome: string; upstream?: string }[]
  state: string
  outcome: string
  /** The model's own reason for outcome, as its upstream names it. */
  finish: string | null
  units: Record<string, number> | null
  reasoning_tokens: number | null
  tools: Record<string, number> | null
  tier: string | null
  /** Why the units were counted by the gateway. */
  counted: string | null
  price: Record<string, unknown> | null
  formula: string | null
  /** The costs of the lines and the rounding add up to `cost_usd` and `shortfall_usd`. */
  lines: ChargeLine[] | null
  rounding_usd: string | null
  cost_usd: string
  shortfall_usd: string
  held_usd: string
  timing: { first_token_ms: number | null; total_ms: number | null }
  warnings: readonly string[]
}

// Wallet

/** GET /console/api/wallet */
export type Wallet = {
  balance_usd: string
  /** Amounts that contain the credit line, and the line itself, may be `unlimited`. */
  credit_line_usd: string
  held_usd: string
  available_usd: string
  /** The operator's cap on the whole account; null: none. */
  cap_usd: string | null
  cap_period: 'day' | 'week' | 'month' | null
  cap_resets_at: string | null
  cap_left_usd: string | null
  low_balance_usd: string | null
  support_url: string | null
  open: { request_id: string; at: string; model: string; key_name: string; held_usd: string }[]
}
/** GET /console/api/wallet/history?before=...; GET /console/api/wallet/statements/{yyyy-mm}.csv */
export type WalletEntry = {
  kind: 'credit' | 'debit' | 'usage'
  at: string
  reason: string
  amount_usd: string
  requests: number
  balance_after_usd: string
}
/** GET /console/api/wallet/statements: months with entries, newest first. */
export type Statement = { month: string; credited_usd: string; spent_usd: string }
/** POST /console/api/wallet/redeem */
export type RedeemCode = { code: string }
export type Redeemed = { amount_usd: string; balance_usd: string }

// Playground

/**
 * POST /console/api/playground/v1/chat/completions and the other paths of the gateway's own endpoints: the same request, billed to
 * the built-in key. GET /console/api/playground/key shows that key (a KeyRow).
 */
export type PlaygroundPaths =
  | '/v1/chat/completions'
  | '/v1/responses'
  | '/v1/images/generations'
  | '/v1/images/edits'
  | '/api/v3/contents/generations/tasks'
