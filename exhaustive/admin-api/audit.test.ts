// Every operation leaves the trace that it should: a change one row of the audit log, a read none. What changes outside of operations, too.
// No row, no revision and no log has a secret.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { adminRoutes, type ServedRoute } from '../../packages/gateway/src/admin-api/routes.ts'
import { callServer } from '../../packages/gateway/src/cli/control-socket.ts'
import { codeAt, decodeBase32 } from '../../packages/gateway/src/console-api/session/totp.ts'
import { OPERATIONS } from '../../packages/gateway/src/operate/index.ts'
import { type SandboxServer, startSandboxServer } from '../../packages/sandbox/src/server.ts'
import { type AdminClient, adminClient } from '../../test/support/admin/admin-client.ts'
import {
  type Json,
  PLANTED,
  READ,
  STEPS,
  type State,
  secretsOf,
  WRITTEN_BY,
} from '../../test/support/admin/audit-steps.ts'
import { eventually } from '../../test/support/eventually.ts'
import { newKey } from '../../test/support/gateway/accounts.ts'
import { consoleClient, outcomeOf, PASSWORD } from '../../test/support/gateway/console.ts'
import { chat, type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { ENGINES } from '../../test/support/gateway/home.ts'
import { closeDatabase, operate } from '../../test/support/gateway/operate.ts'
import { videoBody, videoClient } from '../../test/support/requests/videos.ts'

type Row = Json & { id: string; action: string; target: string }

const CONFIG = 'registration: { open: true }\n'

const ROUTES = new Map(adminRoutes().map((route) => [route.operation.name, route]))

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

  /** A request that cost something, and tasks that neither end nor begin by themselves. */
  async function someTraffic() {
    const { secret } = await newKey(gateway)
    secrets.add(secret)
    const { submit } = videoClient(gateway, secret)
    const messages = [{ role: 'user', content: 'Hello' }]
    const { headers } = await chat(gateway.url, secret, { model: 'sandbox-text', messages })
    return {
      request: headers.get('x-request-id') ?? '',
      running: await submit(videoBody('sandbox-video:never-ends')),
      queued: await submit(videoBody('sandbox-video:never-starts')),
    }
  }

  test('an operation that changes something leaves one row, and one that reads none', async () => {
    const state: State = { url: upstream.url, ...(await someTraffic()) }
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
      expect({ name, actions: rows.map(({ action }) => action) }).toEqual({ name, actions: [WRITTEN_BY[name] ?? name] })
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

  async function call(route: ServedRoute | undefined, name: string, input: Json) {
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
      expect({ name, status, error: status === route.status ? null : body.error }).toEqual({
        name,
        status: route.status,
        error: null,
      })
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
