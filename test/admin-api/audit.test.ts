// Every operation leaves the trace that it should: a change one row of the audit log, a read none. What changes outside of operations, too.
// No row, no revision and no log has a secret.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { type ListedAdminRoute, listAdminRoutes } from '../../packages/gateway/src/admin-api/list-routes.ts'
import { OPERATIONS, type OperationName } from '../../packages/gateway/src/administration/index.ts'
import { callServer } from '../../packages/gateway/src/cli/control-socket.ts'
import { codeAt, decodeBase32 } from '../../packages/gateway/src/console-api/session/totp.ts'
import { type SandboxServer, startSandboxServer } from '../../packages/sandbox/src/server.ts'
import { type AdminClient, adminClient } from '../support/admin/admin-client.ts'
import { eventually } from '../support/eventually.ts'
import { consoleClient, outcomeOf, PASSWORD } from '../support/gateway/console.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'
import { closeDatabase, operate } from '../support/gateway/operate.ts'

type Json = Record<string, unknown>
type Row = Json & { id: string; action: string; target: string }

const CONFIG = 'registration: { open: true }\n'
const READ = 'read'
/** What the row must have of `before` and `after`. */
type Trace = typeof READ | 'before' | 'after' | 'both' | 'neither'
type State = { [name: string]: string }
/** The input of an operation from what those before it left, and what it leaves for others. */
type Step = [
  name: OperationName,
  trace: Trace,
  input?: (state: State) => Json,
  keep?: (answer: Json, state: State) => unknown,
]

/** Not the fingerprints in rows. */
const secretsOf = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(secretsOf)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) =>
    (name === 'secret' || name === 'code') && typeof part === 'string' && !/^(sha256|hmac):/.test(part)
      ? [part]
      : secretsOf(part),
  )
}

const PLANTED = {
  key: 'planted-upstream-key-one',
  second: 'planted-upstream-key-two',
  imported: 'planted-upstream-key-three',
  proxy: 'planted-proxy-password',
  mail: 'planted-mail-password',
  webhook: `whsec_${Buffer.from('a planted secret of a webhook 01').toString('base64')}`,
  metrics: 'planted-metrics-token-0123456789',
  s3: 'planted-s3-secret-key-0123456789',
  password: 'planted password of a person',
}
const ADA = 'ada@example.com'
const ofAda = () => ({ account: ADA })
const ofKey = ({ key = '' }: State) => ({ key })
const stored = ({ url = '' }: State) => ({ dialect: 'chat', base_url: `${url}/v1` })
const MAIN = { upstream: 'main', reason: 'a test' }
const IN_MODEL = { routes: [{ upstream: 'main', model: 'sandbox-text', cost: { input: '1', output: '1' } }] }

/** In an order that works. Every operation is among them. */
const STEPS: Step[] = [
  ['account create', 'after', () => ({ email: ADA, credit_usd: '5', password: PLANTED.password })],
  ['account list', READ],
  ['account show', READ, ofAda],
  ['account edit', 'both', () => ({ account: ADA, name: 'Ada' })],
  ['account limit', 'both', () => ({ account: ADA, cap_usd: '100', limits: { rpm: 600 } })],
  ['account disable', 'both', ofAda],
  ['account enable', 'both', ofAda],
  ['account forget-responses', 'neither', ofAda],
  ['account callback-secret', READ, ofAda],
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
  ['person role', 'both', () => ({ person: ADA, role: 'support' })],
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
  ['key rotate', 'after', ofKey],
  ['key find', READ, () => ({ last_four: 'abcd' })],
  ['key groups', READ],
  ['key delete', 'before', ofKey],
  [
    'code create',
    'after',
    () => ({ amount_usd: '1', label: 'l' }),
    ({ codes }, state) => Object.assign(state, { code: secretsOf(codes)[0] ?? '' }),
  ],
  ['code list', READ],
  ['code redeem', 'after', ({ code }) => ({ account: ADA, code })],
  ['code revoke', 'after', () => ({ label: 'l' })],
  ['usage', READ, () => ({ account: ADA, limit: 10 })],
  ['request list', READ],
  ['request show', READ, () => ({ request: 'req_0549a3f2c1e00001' })],
  ['task list', READ],
  ['task show', READ, () => ({ task: 'req_0549a3f2c1e00001' })],
  ['ledger transfers', READ],
  ['report usage', READ],
  ['report spend', READ, () => ({ by: 'model', limit: 10 })],
  ['report failures', READ],
  ['rejected-requests', READ, () => ({ limit: 10 })],
  ['audit', READ],
  ['audit-log', READ],
  ['alert list', READ],
  ['alert rules', READ],
  ['alert targets', READ],
  ['alert mute', 'after', () => ({ rule: 'old_holds', until: '2099-01-31T12:00:00Z' })],
  ['alert unmute', 'before', () => ({ rule: 'old_holds' })],
  ['node list', READ],
  ['role list', READ],
  ['job list', READ],
  ['server state', READ],
  ['secrets check', READ],
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
  ['upstream models', READ, () => ({ upstream: 'main' })],
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
  ['alert test', 'after'],
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

const ROUTES = new Map(listAdminRoutes().map((route) => [route.route.operation.name, route]))

test('every operation is tried', () => {
  expect(STEPS.map(([name]) => name as string).sort()).toEqual([...OPERATIONS.keys()].sort())
})

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  let upstream: SandboxServer
  let owner: AdminClient
  let ownerId = ''
  const secrets = new Set<string>(Object.values(PLANTED))

  beforeAll(async () => {
    upstream = startSandboxServer({ host: '127.0.0.1', port: 0, faults: false, pace: 0 })
    gateway = await startGateway({ engine, config: CONFIG })
    const made = await operate<{ id: string; secret: string }>(gateway, 'admin-key create', {
      name: 'o',
      role: 'owner',
    })
    secrets.add(made.secret)
    owner = adminClient(gateway.url, made.secret)
    ownerId = made.id
  })
  afterAll(async () => {
    await gateway.stop()
    await closeDatabase(gateway.home)
    await upstream.stop()
  })

  const newest = async (limit = 20) => (await owner<{ data: Row[] }>('GET', `audit-log?limit=${limit}`)).body.data
  /** The rows of what `work` changes, oldest first. */
  async function rowsOf(work: () => Promise<unknown>): Promise<Row[]> {
    const last = BigInt((await newest(1))[0]?.id ?? 0)
    await work()
    return (await newest()).filter(({ id }) => BigInt(id) > last).reverse()
  }

  /** Signed in, with a second factor. */
  async function withSecondFactor(email: string) {
    await operate(gateway, 'account create', { email, password: PLANTED.password })
    const browser = consoleClient(gateway.url)
    const codeOf = (secret: string, ahead: number) =>
      codeAt(decodeBase32(secret) ?? new Uint8Array(), Math.floor(Date.now() / 30_000) + ahead)
    await browser.post('sign-in', { email, password: PLANTED.password })
    const { secret } = (await browser.post<{ secret: string }>('second-factor/begin', {})).body
    const confirm = { secret, password: PLANTED.password, code: codeOf(secret, 0) }
    const { body } = await browser.post<{ recovery_codes: string[] }>('second-factor/confirm', confirm)
    for (const each of [secret, browser.token() ?? '', ...body.recovery_codes]) secrets.add(each)
    return { browser, code: body.recovery_codes[0] ?? '' }
  }

  test('an operation that changes something leaves one row, and one that reads none', async () => {
    const state: State = { url: upstream.url }
    await withSecondFactor('two@example.com')
    for (const [name, trace, inputOf = (): Json => ({}), keep] of STEPS) {
      let requestId: string | null = null
      const route = ROUTES.get(name)
      // Every change of the API takes a reason, whether its operation does or not.
      const input = route && trace !== READ ? { reason: `why ${name}`, ...inputOf(state) } : inputOf(state)
      const all = await rowsOf(async () => {
        const { answer, id } = await call(route, name, input)
        requestId = id
        for (const secret of secretsOf(answer)) secrets.add(secret)
        keep?.(answer as Json, state)
      })
      // The first real upstream makes a job take back what the sandbox gave: a change of its own.
      const rows = all.filter(({ actor }) => actor !== 'job/take-back-sandbox-credit')
      expect({ name, byJob: all.length - rows.length }).toEqual({ name, byJob: name === 'upstream create' ? 1 : 0 })
      if (trace === READ) {
        expect({ name, rows }).toEqual({ name, rows: [] })
        continue
      }
      expect({ name, actions: rows.map(({ action }) => action) }).toEqual({ name, actions: [name] })
      const [row] = rows
      const who = route
        ? { actor: `admin-key/${ownerId}`, address: '127.0.0.1', request_id: requestId }
        : { actor: 'command-line', address: null, request_id: null }
      expect(row).toMatchObject({ ...who, reason: input.reason ?? '' })
      expect(row?.target).toMatch(/^[a-z-]+(\/.+)?$/)
      const has = { before: row?.before !== null, after: row?.after !== null }
      const wanted = { before: trace === 'both' || trace === 'before', after: trace === 'both' || trace === 'after' }
      expect({ name, ...has }).toEqual({ name, ...wanted })
    }
    for (const token of [state.token, state.invited]) if (token) secrets.add(token)
  })

  async function call(route: ListedAdminRoute | undefined, name: string, input: Json) {
    if (!route) return { answer: (await callServer(gateway.home.dataDir, name, input))?.result, id: null }
    const inPath = new Set<string>()
    const path = route.path.replace(/\{(\w+)\}/g, (_, field: string) => {
      inPath.add(field)
      return encodeURIComponent(String(input[field]))
    })
    const rest = Object.fromEntries(Object.entries(input).filter(([field]) => !inPath.has(field)))
    const query = route.body ? '' : `?${new URLSearchParams(rest as Record<string, string>)}`
    const { status, headers, body } = await owner(route.method, path + query, route.body ? { body: rest } : {})
    const isMissing = route.method === 'GET' && status === 404
    if (!isMissing)
      expect({ name, status, error: body.error }).toEqual({ name, status: route.status, error: undefined })
    return { answer: isMissing ? {} : (body as unknown), id: headers.get('x-request-id') }
  }

  test('so does what people change about their own sign-in and account', async () => {
    const email = 'grace@example.com'
    const { browser, code } = await withSecondFactor(email)
    const [{ id: person = '' } = {}] = (await owner<{ data: Row[] }>('GET', `people?email=${email}`)).body.data
    const other = consoleClient(gateway.url)
    const one = async (action: string, work: () => Promise<{ status: number }>, expected: Json = {}) => {
      const rows = await rowsOf(async () => expect((await work()).status).toBeLessThan(300))
      expect(rows).toMatchObject([{ action, actor: `person/${person}`, address: '127.0.0.1', ...expected }])
      expect(rows[0]?.request_id).toMatch(/^req_/)
    }
    const password = { current: PLANTED.password, password: PASSWORD }
    secrets.add(PASSWORD)
    const before = (await newest()).filter(({ action }) => action === 'second-factor on')
    expect(before[0]).toMatchObject({ actor: `person/${person}`, after: { second_factor: true } })
    await one('second-factor off', () => browser.post('second-factor/remove', { password: PLANTED.password, code }))
    await one('password change', () => browser.post('password', password), { target: `person/${person}` })
    expect(await rowsOf(() => other.post('sign-in', { email, password: PASSWORD }))).toEqual([])
    const sessions = (await other.get<{ id: string; current: boolean }[]>('sessions')).body as never as Row[]
    const first = sessions.find(({ current }) => !current)?.id
    await one('session end', () => other.delete(`sessions/${first}`), { before: { session: first } })
    await one('account rename', () => other.post('account', { name: 'Grace' }), { after: { name: 'Grace' } })
    const codes = (await owner('POST', 'codes', { body: { amount_usd: '1' } })).body.codes
    const [redeemed = ''] = secretsOf(codes)
    secrets.add(redeemed)
    await one('code redeem', () => other.post('wallet/redeem', { code: redeemed }))
    await one('sign-out everywhere', () => other.post('sign-out-everywhere', {}))
    const link = (await owner('POST', `accounts/${email}/sign-in-link`)).body
    const token = String(link.url).split('#')[1] ?? ''
    secrets.add(token)
    await one('password change', () => other.post('setup', { token, password: PLANTED.password }), {
      after: { has_password: true, by: 'sign-in link' },
    })
  })

  test('a sign-up, and an edit of the configuration file', async () => {
    const email = 'joan@example.com'
    const rows = await rowsOf(async () => {
      const joined = await consoleClient(gateway.url).post('register', { email, password: PLANTED.password })
      expect(outcomeOf(joined)).toStartWith('20')
    })
    expect(rows).toMatchObject([{ action: 'sign-up', after: { email } }])
    const edited = await rowsOf(async () => {
      const text = `${CONFIG}console: { name: Edited }\nserver: { metrics_token: ${PLANTED.metrics}-in-file }\n`
      writeFileSync(gateway.home.configFile, text)
      gateway.signal('SIGHUP')
      await eventually(async () => (await newest(1))[0]?.action === 'configuration file')
    })
    expect(edited).toMatchObject([{ actor: 'job/configuration file', request_id: null }])
    expect(Object.keys(edited[0]?.before as Json)).toEqual(['file'])
  })

  test('no secret is in a row, a revision, a setting, an export or the log', async () => {
    const read = async (path: string) => JSON.stringify((await owner(`GET`, path)).body)
    const revisions = (await owner<{ data: Row[] }>('GET', 'configuration/revisions')).body.data
    expect(revisions.length).toBeGreaterThan(10)
    const texts = [
      await read('audit-log?limit=1000'),
      await read('settings'),
      await read('upstreams'),
      await read('admin-keys'),
      ...(await Promise.all(revisions.map(({ id }) => read(`configuration/revisions/${id}`)))),
      JSON.stringify(await callServer(gateway.home.dataDir, 'config export', {})),
      gateway.output().stdout.replaceAll(/.*key\s+sk-.*/g, ''),
      gateway.output().stderr,
    ]
    expect(secrets.size).toBeGreaterThan(30)
    for (const text of texts)
      for (const secret of secrets) expect({ secret, has: text.includes(secret) }).toEqual({ secret, has: false })
  })
})
