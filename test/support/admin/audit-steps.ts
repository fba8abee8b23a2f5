// Every operation in an order that works, with what its row of the audit log must have.
import type { OperationName } from '../../../packages/gateway/src/operate/index.ts'

export type Json = Record<string, unknown>

export const READ = 'read'
/** What the row must have of `before` and `after`. */
type Trace = typeof READ | 'before' | 'after' | 'both' | 'neither'
export type State = { [name: string]: string }
/** The input of an operation from what those before it left, and what it leaves for others. */
type Step = [
  name: OperationName,
  trace: Trace,
  input?: (state: State) => Json,
  keep?: (answer: Json, state: State) => unknown,
]

/** Not the fingerprints in rows. */
export const secretsOf = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(secretsOf)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) =>
    (name === 'secret' || name === 'code') && typeof part === 'string' && !/^(sha256|hmac):/.test(part)
      ? [part]
      : secretsOf(part),
  )
}

export const PLANTED = {
  key: 'planted-upstream-key-one',
  third: 'planted-third-key-of-the-vendor-3333',
  second: 'planted-upstream-key-two',
  draft: 'planted-upstream-key-four',
  imported: 'planted-upstream-key-three',
  proxy: 'planted-proxy-password',
  mail: 'planted-mail-password',
  hookPath: 'planted-path-of-a-webhook',
  webhook: `whsec_${Buffer.from('a planted secret of a webhook 01').toString('base64')}`,
  metrics: 'planted-metrics-token-0123456789',
  s3: 'planted-s3-secret-key-0123456789',
  password: 'planted password of a person',
}
const HOOK = `https://hooks.example.com/${PLANTED.hookPath}`
const ADA = 'ada@example.com'
const ofAda = () => ({ account: ADA })
const ofKey = ({ key = '' }: State) => ({ key })
const stored = ({ url = '' }: State) => ({ dialect: 'chat', base_url: `${url}/v1` })
const MAIN = { upstream: 'main', reason: 'a test' }
const IN_MODEL = { routes: [{ upstream: 'main', model: 'sandbox-text', cost: { input: '1', output: '1' } }] }

/** In an order that works. Every operation is among them. */
export const STEPS: Step[] = [
  ['account create', 'after', () => ({ email: ADA, credit_usd: '5', password: PLANTED.password })],
  ['account list', READ],
  ['account show', READ, ofAda, ({ id }, state) => Object.assign(state, { account: String(id) })],
  ['account edit', 'both', () => ({ account: ADA, name: 'Ada' })],
  ['account limit', 'both', () => ({ account: ADA, cap_usd: '100', limits: { rpm: 600 } })],
  ['account disable', 'both', ofAda],
  ['account enable', 'both', ofAda],
  ['account forget-responses', 'neither', ofAda],
  ['account callback-secret', READ, ofAda],
  ['account notes', READ, ofAda],
  ['account notices', READ, ofAda],
  [
    'account note add',
    'after',
    () => ({ account: ADA, text: 'pays late' }),
    ({ notes }, state) => Object.assign(state, { note: (notes as { id: string }[])[0]?.id ?? '' }),
  ],
  ['account note delete', 'before', ({ note }) => ({ account: ADA, note })],
  [
    'account bulk',
    'both',
    ({ account }) => ({ accounts: [account], act: 'limit', terms: { limits: { rpm: 700 } }, reason: 'a test' }),
  ],
  ['account import', 'after', () => ({ rows: [{ name: 'robot', credit_usd: '1', key: 'nightly' }] })],
  ['account credit', 'both', () => ({ account: ADA, amount_usd: '2', reason: 'a test' })],
  ['account credit-line', 'both', () => ({ account: ADA, credit_line_usd: '3' })],
  ['account members', READ, ofAda],
  ['account member', 'after', () => ({ account: ADA, email: 'new@example.com', role: 'member', cap_usd: '7' })],
  ['account sessions', READ, ofAda],
  [
    'account sign-in-link',
    'neither',
    ofAda,
    ({ url }, state) => Object.assign(state, { token: String(url).split('#')[1] ?? '' }),
  ],
  ['account sign-out', 'after', ofAda],
  ['account remove-second-factor', 'both', () => ({ account: 'two@example.com' })],
  ['person list', READ],
  ['person show', READ, () => ({ person: ADA })],
  ['person role', 'both', () => ({ person: 'two@example.com', role: 'support' })],
  ['person disable', 'both', () => ({ person: ADA })],
  ['person enable', 'both', () => ({ person: ADA })],
  [
    'invitation create',
    'after',
    () => ({ account: ADA, member_role: 'member', email: 'grace@example.com' }),
    ({ id, url }, state) => Object.assign(state, { invitation: String(id), invited: String(url).split('#')[1] ?? '' }),
  ],
  ['invitation list', READ],
  ['invitation revoke', 'before', ({ invitation }) => ({ invitation })],
  [
    'admin-key create',
    'after',
    () => ({ name: 'x', role: 'viewer' }),
    ({ id }, state) => Object.assign(state, { ak: String(id) }),
  ],
  ['admin-key list', READ],
  ['admin-key show', READ, ({ ak }) => ({ admin_key: ak })],
  ['admin-key delete', 'before', ({ ak }) => ({ admin_key: ak })],
  [
    'key create',
    'after',
    () => ({ account: ADA, name: 'k' }),
    ({ id }, state) => Object.assign(state, { key: String(id) }),
  ],
  ['key list', READ],
  ['key show', READ, ofKey],
  ['key limit', 'both', (state) => ({ ...ofKey(state), cap_usd: '4' })],
  ['key bulk', 'both', ({ key }) => ({ keys: [key], act: 'edit', terms: { cap_usd: '5' }, reason: 'a test' })],
  ['key rotate', 'after', ofKey],
  ['key find', READ, () => ({ last_four: 'abcd' })],
  ['key groups', READ],
  [
    'budget create',
    'after',
    ({ key }) => ({ kind: 'key', key, amount_usd: '3', period: 'day', text: 'Ask Ada.' }),
    ({ id }, state) => Object.assign(state, { budget: String(id) }),
  ],
  ['budget list', READ],
  ['budget show', READ, ({ budget }) => ({ budget })],
  ['budget change', 'both', ({ budget }) => ({ budget, amount_usd: '2', alerts: [80, 50] })],
  ['budget delete', 'before', ({ budget }) => ({ budget })],
  ['key delete', 'before', ofKey],
  [
    'code create',
    'after',
    () => ({ amount_usd: '1', label: 'l' }),
    ({ codes }, state) => Object.assign(state, { code: secretsOf(codes)[0] ?? '' }),
  ],
  ['code list', READ],
  ['code batches', READ],
  ['code redeem', 'after', ({ code }) => ({ account: ADA, code })],
  ['code revoke', 'after', () => ({ label: 'l' })],
  ['usage', READ, () => ({ account: ADA, limit: 10 })],
  ['request list', READ],
  ['request show', READ, () => ({ request: 'req_0549a3f2c1e00001' })],
  ['task list', READ],
  ['task show', READ, () => ({ task: 'req_0549a3f2c1e00001' })],
  ['request refund', 'both', ({ request = '' }) => ({ request, reason: 'a test' })],
  ['task query', 'both', ({ running = '' }) => ({ task: running })],
  ['task release', 'both', ({ running = '' }) => ({ task: running })],
  ['task cancel', 'both', ({ queued = '' }) => ({ task: queued })],
  ['ledger transfers', READ],
  ['ledger accounts', READ],
  ['ledger audits', READ],
  ['ledger audit start', 'neither'],
  ['report usage', READ],
  ['report spend', READ, () => ({ by: 'model', limit: 10 })],
  ['report failures', READ],
  ['report session', READ, () => ({ account: ADA, session: 'chat-1' })],
  ['report statement', READ, () => ({ account: ADA, month: '2026-01' })],
  ['rejected-requests', READ, () => ({ limit: 10 })],
  ['audit', READ],
  ['audit-log', READ],
  ['overview', READ],
  ['search', READ, () => ({ q: 'ada' })],
  ['alert list', READ],
  ['alert rules', READ],
  ['alert targets', READ],
  ['alert mute', 'after', () => ({ rule: 'old_holds', until: '2099-01-31T12:00:00Z' })],
  ['alert unmute', 'before', () => ({ rule: 'old_holds' })],
  ['node list', READ],
  ['role list', READ],
  ['job list', READ],
  ['server state', READ],
  ['system show', READ],
  ['system sizes', READ],
  ['system doctor', READ],
  ['secrets check', READ],
  ['tables check', READ],
  ['upstream create', 'after', (state) => ({ id: 'main', ...stored(state), keys: [PLANTED.key], reason: 'a test' })],
  ['upstream list', READ],
  ['upstream show', READ, () => ({ upstream: 'main' })],
  ['upstream change', 'both', () => ({ ...MAIN, max_concurrency: 9 })],
  [
    'upstream key add',
    'both',
    () => ({ ...MAIN, secret: PLANTED.second }),
    ({ id }, state) => Object.assign(state, { uk: String(id) }),
  ],
  ['upstream key list', READ, () => ({ upstream: 'main' })],
  [
    'upstream key replace',
    'both',
    ({ uk }) => ({ ...MAIN, key: uk, secret: PLANTED.third, note: 'from the new contract' }),
    ({ id }, state) => Object.assign(state, { uk: String(id) }),
  ],
  ['upstream key remove', 'both', ({ uk }) => ({ ...MAIN, key: uk })],
  ['upstream key erase', 'neither', ({ uk }) => ({ ...MAIN, key: uk })],
  ['model create', 'after', () => ({ id: 'm', ...IN_MODEL, price: { input: '2', output: '2' }, reason: 'a test' })],
  ['model list', READ],
  ['model show', READ, () => ({ model: 'm' })],
  ['model change', 'both', () => ({ model: 'm', price: { input: '3' }, reason: 'a test' })],
  ['group create', 'after', () => ({ id: 'staff', models: ['m'], reason: 'a test' })],
  ['group list', READ],
  ['group show', READ, () => ({ group: 'staff' })],
  ['group change', 'both', () => ({ group: 'staff', multiplier: '0.5', reason: 'a test' })],
  ['model price-impact', READ, () => ({ model: 'm', price: { input: '4' } })],
  ['group price-impact', READ, () => ({ group: 'staff', multiplier: '0.4' })],
  ['upstream states', READ],
  ['upstream state', READ, () => ({ upstream: 'main' })],
  ['upstream disable', 'both', () => MAIN],
  ['upstream drain', 'both', () => MAIN],
  ['upstream enable', 'both', () => MAIN],
  ['upstream reset', 'after', () => MAIN],
  ['upstream test', 'after', () => ({ upstream: 'main', model: 'm' })],
  ['upstream certify', 'after', () => ({ upstream: 'main', model: 'm', part: 'upstream' })],
  ['upstream models', READ, () => ({ upstream: 'main' })],
  ['upstream kinds', READ],
  ['upstream figures', READ],
  ['upstream draft-test', 'after', (state) => ({ ...stored(state), keys: [PLANTED.draft], model: 'sandbox-text' })],
  ['upstream draft-models', READ, (state) => ({ ...stored(state), keys: [PLANTED.draft] })],
  ['price proposals', READ, () => ({ models: ['gpt-6.1-terra'] })],
  ['model price-preview', READ, () => ({ model: 'm', units: { input: 1, output: 1 } })],
  ['model route-preview', READ, () => ({ model: 'm' })],
  ['prices diff', READ],
  ['group delete', 'before', () => ({ group: 'staff', reason: 'a test' })],
  ['model delete', 'before', () => ({ model: 'm', reason: 'a test' })],
  // The sandbox is on again.
  ['upstream delete', 'both', () => ({ ...MAIN })],
  [
    'settings change',
    'after',
    () => ({
      mail: { url: `smtp://me:${PLANTED.mail}@127.0.0.1:1`, from: 'gateway@example.com' },
      alerts: { webhooks: [{ url: 'https://hooks.example.com/x', secret: PLANTED.webhook }] },
      server: { metrics_token: PLANTED.metrics },
      reason: 'a test',
    }),
  ],
  ['settings show', READ],
  ['config entries', READ],
  ['mail test', 'after', () => ({ to: 'ada@example.com' })],
  ['alert test', 'after'],
  [
    'alert target add',
    'both',
    () => ({ url: `${HOOK}/one` }),
    ({ id }, state) => Object.assign(state, { target: String(id) }),
  ],
  [
    'alert target replace',
    'both',
    ({ target = '' }) => ({ target, url: `${HOOK}/two`, secret: PLANTED.webhook }),
    ({ id }, state) => Object.assign(state, { target: String(id) }),
  ],
  ['alert target remove', 'both', ({ target = '' }) => ({ target, reason: 'a test' })],
  [
    'config import',
    'after',
    (state) => ({
      entries: [
        {
          kind: 'upstream',
          id: 'other',
          value: { ...stored(state), keys: [PLANTED.imported], proxy: `http://me:${PLANTED.proxy}@127.0.0.1:1` },
        },
      ],
      reason: 'a test',
    }),
  ],
  ['config export', READ],
  ['config unused' as OperationName, READ],
  ['revision list', READ],
  ['revision show', READ, () => ({ revision: '1' })],
  ['revision restore', 'both', () => ({ revision: '1', reason: 'a test' })],
  ['account delete', 'both', () => ({ account: ADA, force: true })],
]

/** What changes many at once does so by the operation that changes one. */
export const WRITTEN_BY: Partial<Record<OperationName, OperationName>> = {
  'account bulk': 'account limit',
  'key bulk': 'key limit',
}
