// The tables as queries see them. Integers arrive as bigint from SQLite and as number or bigint from PostgreSQL, by
// the width of the column: rows are read through rows.ts, which takes either.
import type { Generated } from 'kysely'

type Integer = bigint | number
type NullableInteger = Integer | null

/** What accounts and keys may use by the minute, and have used. */
type Metered = {
  requests_per_minute: NullableInteger
  tokens_per_minute: NullableInteger
  concurrent: NullableInteger
  open_requests: Generated<Integer>
  spent_at: Generated<Integer>
  spent_day: Generated<Integer>
  week_before: Generated<Integer>
  month_before: Generated<Integer>
  requests_window: Generated<string>
  tokens_window: Generated<string>
}

type Sums = {
  account: Integer
  model: string
  upstream: string
  outcome: string
  requests: Integer
  tokens: Integer
  cost: Integer
  upstream_cost: Integer
  unknown_costs: Integer
  last_at: Integer
}

export type Schema = {
  person: {
    id: Generated<Integer>
    email: string
    role: string | null
    disabled: Generated<Integer>
    created_at: Integer
    proved_at: NullableInteger
    signed_in_at: Generated<NullableInteger>
  }
  admin_key: {
    id: Generated<Integer>
    name: string
    hash: Uint8Array
    last_four: string
    role: string
    made_by: NullableInteger
    made_by_key: NullableInteger
    permissions: string | null
    created_at: Integer
    expires_at: NullableInteger
    networks: string | null
    last_used_at: Generated<NullableInteger>
    deleted_at: Generated<NullableInteger>
  }
  identity: {
    issuer: string
    subject: string
    person: Integer
    role: Generated<string | null>
    kept_role: Generated<string | null>
    price_groups: Generated<string>
    created_at: Integer
  }
  invitation: {
    id: Generated<Integer>
    hash: Uint8Array
    gateway_role: string | null
    account: NullableInteger
    member_role: string | null
    email: string | null
    made_by: NullableInteger
    made_by_key: NullableInteger
    by_operator: Integer
    created_at: Integer
    expires_at: Integer
    ended_at: Generated<NullableInteger>
    accepted_by: Generated<NullableInteger>
  }
  member: {
    account: Integer
    person: Integer
    role: string
    cap: Generated<NullableInteger>
    cap_period: Generated<string | null>
    by_operator: Generated<Integer>
    created_at: Integer
  }
  account: Metered & {
    id: Generated<Integer>
    name: string
    balance: Integer
    held: Integer
    credit_line: Generated<Integer>
    highest_credit_line: Generated<Integer>
    cap: Generated<NullableInteger>
    cap_period: Generated<string | null>
    spent: Generated<Integer>
    disabled: Integer
    disabled_reason: Generated<string>
    created_at: Integer
    deleted_at: Generated<NullableInteger>
  }
  /** `password`: its hash, with the salt and the parameters of the algorithm in it. */
  credential: {
    person: Integer
    password: string | null
    email_verified_at: NullableInteger
    trial_due: Generated<Integer>
    trial_account: NullableInteger
    totp_secret: Uint8Array | null
    totp_step: Generated<Integer>
  }
  recovery_code: { person: Integer; hash: Uint8Array }
  preference: { person: Integer; low_balance: NullableInteger; language: string | null }
  session: {
    id: Generated<Integer>
    person: Integer
    account: Integer
    hash: Uint8Array
    created_at: Integer
    seen_at: Integer
    expires_at: Integer
    user_agent: string
    address: string
    proved_at: NullableInteger
    ends_at: NullableInteger
  }
  link: {
    person: Integer
    purpose: string
    hash: Uint8Array
    expires_at: Integer
    made_by_key: NullableInteger
  }
  attempt: { subject: string; attempts: Integer; expires_at: Integer }
  taken_address: { form: string; at: Integer }
  /** How many accounts were made from a network on a day, in days since 1970. */
  sign_up: { day: Integer; network: string; accounts: Integer }
  trial_day: { day: Integer; given: Integer }
  redemption_code: {
    hash: Uint8Array
    amount: Integer
    created_at: Integer
    expires_at: NullableInteger
    redeemed_by: NullableInteger
    redeemed_at: NullableInteger
    revoked_at: Generated<NullableInteger>
    label: Generated<string>
    last_four: Generated<string>
  }
  audit_log: {
    id: Generated<Integer>
    at: Integer
    actor_type: string
    actor: string
    address: string
    request: NullableInteger
    action: string
    object: string
    before: string | null
    after: string | null
    reason: string
  }
  api_key: Metered & {
    id: Generated<Integer>
    account: Integer
    person: NullableInteger
    operator_person: Generated<NullableInteger>
    operator_key: Generated<NullableInteger>
    own_since: Generated<NullableInteger>
    hash: Uint8Array
    former_hash: Uint8Array | null
    former_until: NullableInteger
    last_four: Generated<string>
    purpose: Generated<string>
    made_by: Generated<string>
    holder_chose_group: Generated<Integer>
    name: string
    group_name: string
    deleted: Integer
    expires_at: NullableInteger
    revision: Generated<Integer>
    cap: NullableInteger
    cap_period: string | null
    /** JSON lists. */
    models: string | null
    networks: string | null
    /** A JSON object. */
    ceiling: string | null
    spent: Integer
    held: Integer
    created_at: Integer
  }
  request: {
    id: Integer
    account: Integer
    key: Integer
    node_id: Integer
    epoch: Integer
    deadline: NullableInteger
    state: Integer
    held: Integer
    held_at: Integer
    tokens: Integer
    progress: Integer
    cost: Integer
    shortfall: Integer
    model: string
    upstream: string
    upstream_cost: Generated<NullableInteger>
    outcome: string
    receipt: string
  }
  transfer: {
    id: Generated<Integer>
    request: NullableInteger
    debit: Integer
    credit: Integer
    amount: Integer
    reason: string
    at: Integer
    reference: Generated<string | null>
  }
  repetition: { request: Integer; first: Integer; at: Integer }
  folded_request: { account: Integer; requests: Integer; tokens: Integer; upstream_cost: Integer }
  hourly_spending: Sums & { hour: Integer; key: Integer }
  daily_spending: Sums & { day: Integer }
  daily_key_spending: Sums & { day: Integer; key: Integer }
  daily_total: Omit<Sums, 'account' | 'last_at'> & { day: Integer }
  rejected_request: {
    account: Integer
    key: Integer
    code: string
    minute: Integer
    count: Integer
    last_request: string
    reason: string
  }
  alert_fact: { source: string; rule: string; object: string; amount: Integer; total: Integer; expires_at: Integer }
  alert: {
    id: Generated<Integer>
    rule: string
    object: string
    value: string
    since: Integer
    fired_at: Generated<NullableInteger>
    clear_since: Generated<NullableInteger>
    resolved_at: Generated<NullableInteger>
    is_muted: Generated<Integer>
  }
  alert_mute: { rule: string; object: string; until: Integer; actor: string; at: Integer }
  alert_delivery: {
    id: Generated<Integer>
    alert: Integer
    event: string
    target: string
    body: string
    tries: Generated<Integer>
    due_at: Integer
    ended_at: Generated<NullableInteger>
    error: Generated<string | null>
  }
  configuration_revision: {
    revision: Integer
    at: Integer
    actor_type: string
    actor: string
    request: NullableInteger
    action: string
    reason: string
  }
  configuration_change: { revision: Integer; kind: string; id: string; before: string | null; after: string | null }
  stored_entry: { kind: string; id: string; value: string; revision: Integer }
  stored_secret: {
    id: string
    owner: string
    sealed: Uint8Array | null
    fingerprint: string
    last_four: string
    created_at: Integer
    erased_at: Generated<NullableInteger>
  }
  latency: { hour: Integer; model: string; bucket: Integer; count: Integer }
  node: { node_id: Integer; epoch: Integer; renewed_at: Integer; renewals: Integer; config: string }
  node_state: {
    node_id: Integer
    epoch: Integer
    version: string
    started_at: Integer
    revision: Integer
    ready: Integer
    /** A JSON list. */
    faults: string
    reported_at: Integer
  }
  job_run: {
    name: string
    scope: string
    interval_ms: NullableInteger
    node_id: Integer
    began_at: Integer
    duration_ms: Integer
    next_at: Integer
    error: string | null
    failed_at: NullableInteger
    is_failing: Integer
  }
  refund: { request: Integer; amount: Integer }
  ledger_audit: {
    id: Generated<Integer>
    started_at: Integer
    renewed_at: Integer
    ended_at: NullableInteger
    actor_type: string
    actor: string
    step: Integer
    steps: Integer
    ok: NullableInteger
    report: string | null
  }
  account_note: {
    id: Generated<Integer>
    account: Integer
    at: Integer
    author_type: string
    author: string
    text: string
  }
  lease: { name: string; epoch: Integer; holder: string; expires_at: Integer }
  meta: { name: string; value: string }
  change_counter: { id: Integer; value: Integer }
  upstream_hour: { hour: Integer; upstream: string; measure: string; bucket: Integer; count: Integer }
  upstream_switch: {
    upstream: string
    state: string
    at: Integer
    actor: string
    reason: string
    resets: Generated<Integer>
  }
}
