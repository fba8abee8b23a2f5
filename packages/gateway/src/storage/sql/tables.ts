// The tables as queries see them, written from the schema by npm run reference. Integers arrive as bigint from SQLite and as number or
// bigint from PostgreSQL, by the width of the column: rows are read through rows.ts, which takes either.
import type { Generated } from 'kysely'
import type { BudgetTables } from './budgets/tables.ts'
import type { Integer, MonthTables } from './months/tables.ts'
import type { NoticeTables } from './notices/tables.ts'

export type Schema = MonthTables & BudgetTables & NoticeTables & OtherTables

type OtherTables = {
  person: {
    id: Generated<Integer>
    email: string
    role: string | null
    disabled: Generated<Integer>
    created_at: Integer
    proved_at: Integer | null
    signed_in_at: Integer | null
  }
  account: {
    id: Generated<Integer>
    name: string
    balance: Generated<Integer>
    held: Generated<Integer>
    credit_line: Generated<Integer>
    highest_credit_line: Generated<Integer>
    cap: Integer | null
    cap_period: string | null
    spent: Generated<Integer>
    disabled: Generated<Integer>
    created_at: Integer
    deleted_at: Integer | null
    requests_per_minute: Integer | null
    tokens_per_minute: Integer | null
    concurrent: Integer | null
    open_requests: Generated<Integer>
    spent_at: Generated<Integer>
    spent_day: Generated<Integer>
    week_before: Generated<Integer>
    month_before: Generated<Integer>
    requests_window: Generated<string>
    tokens_window: Generated<string>
    disabled_reason: Generated<string>
    budgets_version: Generated<Integer>
  }
  member: {
    account: Integer
    person: Integer
    role: string
    cap: Integer | null
    cap_period: string | null
    created_at: Integer
    by_operator: Generated<Integer>
    tags: Generated<string>
  }
  credential: {
    person: Integer
    password: string | null
    email_verified_at: Integer | null
    trial_due: Generated<Integer>
    trial_account: Integer | null
    totp_secret: Uint8Array | null
    totp_step: Generated<Integer>
  }
  recovery_code: { person: Integer; hash: Uint8Array }
  preference: { person: Integer; low_balance: Integer | null; language: string | null; notices: string | null }
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
    proved_at: Integer | null
    ends_at: Integer | null
  }
  link: { person: Integer; purpose: string; hash: Uint8Array; expires_at: Integer; made_by_key: Integer | null }
  attempt: { subject: string; attempts: Integer; expires_at: Integer }
  api_key: {
    id: Generated<Integer>
    account: Integer
    person: Integer | null
    hash: Uint8Array
    former_hash: Uint8Array | null
    former_until: Integer | null
    last_four: Generated<string>
    purpose: Generated<string>
    made_by: Generated<string>
    name: string
    group_name: string
    holder_chose_group: Generated<Integer>
    deleted: Generated<Integer>
    revision: Generated<Integer>
    expires_at: Integer | null
    cap: Integer | null
    cap_period: string | null
    models: string | null
    networks: string | null
    ceiling: string | null
    spent: Generated<Integer>
    held: Generated<Integer>
    created_at: Integer
    requests_per_minute: Integer | null
    tokens_per_minute: Integer | null
    concurrent: Integer | null
    open_requests: Generated<Integer>
    spent_at: Generated<Integer>
    spent_day: Generated<Integer>
    week_before: Generated<Integer>
    month_before: Generated<Integer>
    requests_window: Generated<string>
    tokens_window: Generated<string>
    operator_person: Integer | null
    operator_key: Integer | null
    own_since: Integer | null
    tags: Generated<string>
    tags_locked: Generated<Integer>
    company_token: Generated<Integer>
  }
  request: {
    id: Integer
    account: Integer
    key: Integer
    node_id: Integer
    epoch: Integer
    deadline: Integer | null
    state: Integer
    held: Integer
    held_at: Integer
    tokens: Generated<Integer>
    progress: Generated<Integer>
    cost: Generated<Integer>
    shortfall: Generated<Integer>
    model: string
    upstream: string
    upstream_cost: Generated<Integer | null>
    outcome: Generated<string>
    receipt: Generated<string>
    tags: Generated<string>
    end_user: Generated<string>
    session: Generated<string>
    budgets: Generated<string>
  }
  transfer: {
    id: Generated<Integer>
    request: Integer | null
    debit: Integer
    credit: Integer
    amount: Integer
    reason: Generated<string>
    at: Integer
    reference: string | null
  }
  hourly_spending: {
    account: Integer
    hour: Integer
    key: Integer
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
  daily_spending: {
    account: Integer
    day: Integer
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
  daily_key_spending: {
    key: Integer
    day: Integer
    model: string
    upstream: string
    outcome: string
    account: Integer
    requests: Integer
    tokens: Integer
    cost: Integer
    upstream_cost: Integer
    unknown_costs: Integer
    last_at: Integer
  }
  rejected_request: {
    account: Integer
    key: Integer
    minute: Integer
    code: string
    count: Integer
    last_request: string
    reason: string
  }
  latency: { hour: Integer; model: string; bucket: Integer; count: Integer }
  node: {
    node_id: Integer
    epoch: Integer
    renewed_at: Integer
    config: string
    renewals: Generated<Integer>
    budgets_epoch: Generated<Integer>
  }
  lease: { name: string; epoch: Integer; holder: string; expires_at: Integer }
  meta: { name: string; value: string }
  change_counter: { id: Integer; value: Integer }
  taken_address: { form: string; at: Integer }
  sign_up: { day: Integer; network: string; accounts: Integer }
  trial_day: { day: Integer; given: Integer }
  redemption_code: {
    hash: Uint8Array
    amount: Integer
    created_at: Integer
    expires_at: Integer | null
    redeemed_by: Integer | null
    redeemed_at: Integer | null
    revoked_at: Integer | null
    label: Generated<string>
    last_four: Generated<string>
  }
  audit_log: {
    id: Generated<Integer>
    at: Integer
    actor_type: string
    actor: string
    address: string
    request: Integer | null
    action: string
    object: string
    before: string | null
    after: string | null
    reason: string
  }
  alert_fact: { source: string; rule: string; object: string; amount: Integer; total: Integer; expires_at: Integer }
  alert: {
    id: Generated<Integer>
    rule: string
    object: string
    value: string
    since: Integer
    fired_at: Integer | null
    clear_since: Integer | null
    resolved_at: Integer | null
    is_muted: Generated<Integer>
  }
  alert_delivery: {
    id: Generated<Integer>
    alert: Integer
    event: string
    target: string
    body: string
    tries: Generated<Integer>
    due_at: Integer
    ended_at: Integer | null
    error: string | null
  }
  pending_page: { id: Integer; bytes: Uint8Array }
  admin_key: {
    id: Generated<Integer>
    name: string
    hash: Uint8Array
    last_four: string
    role: string
    made_by: Integer | null
    created_at: Integer
    expires_at: Integer | null
    networks: string | null
    last_used_at: Integer | null
    deleted_at: Integer | null
    made_by_key: Integer | null
    permissions: string | null
  }
  configuration_revision: {
    revision: Integer
    at: Integer
    actor_type: string
    actor: string
    request: Integer | null
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
    erased_at: Integer | null
  }
  upstream_switch: {
    upstream: string
    state: string
    at: Integer
    actor: string
    reason: string
    resets: Generated<Integer>
  }
  daily_total: {
    day: Integer
    model: string
    upstream: string
    outcome: string
    requests: Integer
    tokens: Integer
    cost: Integer
    upstream_cost: Integer
    unknown_costs: Integer
  }
  node_state: {
    node_id: Integer
    epoch: Integer
    version: string
    started_at: Integer
    revision: Integer
    ready: Integer
    faults: string
    reported_at: Integer
  }
  job_run: {
    name: string
    scope: string
    interval_ms: Integer | null
    node_id: Integer
    began_at: Integer
    duration_ms: Integer
    next_at: Integer
    error: string | null
    failed_at: Integer | null
    is_failing: Integer
  }
  identity: {
    issuer: string
    subject: string
    person: Integer
    role: string | null
    kept_role: string | null
    price_groups: Generated<string>
    created_at: Integer
  }
  invitation: {
    id: Generated<Integer>
    hash: Uint8Array
    gateway_role: string | null
    account: Integer | null
    member_role: string | null
    email: string | null
    made_by: Integer | null
    by_operator: Integer
    created_at: Integer
    expires_at: Integer
    ended_at: Integer | null
    accepted_by: Integer | null
    made_by_key: Integer | null
  }
  refund: { request: Integer; amount: Integer }
  account_note: {
    id: Generated<Integer>
    account: Integer
    at: Integer
    author_type: string
    author: string
    text: string
  }
  alert_mute: { rule: string; object: string; until: Integer; actor: string; at: Integer }
  upstream_hour: { hour: Integer; upstream: string; measure: string; bucket: Integer; count: Integer }
  ledger_audit: {
    id: Generated<Integer>
    started_at: Integer
    renewed_at: Integer
    ended_at: Integer | null
    actor_type: string
    actor: string
    step: Integer
    steps: Integer
    ok: Integer | null
    report: string | null
  }
  folded_request: { account: Integer; requests: Integer; tokens: Integer; upstream_cost: Integer }
  repetition: { request: Integer; first: Integer; at: Integer }
  upstream_key_hour: { hour: Integer; upstream: string; key: string; calls: Integer; failed: Integer }
  attribution_removal: { account: Integer; done_to: Integer }
  upstream_limit_use: { name: string; kind: string; slot: Integer; used: Integer }
  upstream_limit_share: { name: string; kind: string; node_id: Integer; held: Integer; at: Integer }
}
