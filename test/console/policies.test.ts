// Every route of the console API, tried without a session, with those of others, and with sessions that must not work. The list of
// routes is the gateway's own table: a new route is tried without a change here.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Value } from 'typebox/value'
import { hashToken, newToken } from '../../packages/gateway/src/access/secrets/tokens.ts'
import type { ConsoleRoute } from '../../packages/gateway/src/console-api/route.ts'
import { CONSOLE_ROUTES } from '../../packages/gateway/src/console-api/routes.ts'
import { codeAt, decodeBase32 } from '../../packages/gateway/src/console-api/session/totp.ts'
import { NANOS_PER_USD } from '../../packages/gateway/src/money/amount.ts'
import { CREDIT } from '../../packages/gateway/src/money/ledger.ts'
import { openPostgres } from '../../packages/gateway/src/storage/postgres/open-postgres.ts'
import { openSqlite } from '../../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import {
  type ConsoleAnswer,
  type ConsoleClient,
  consoleClient,
  outcomeOf,
  PASSWORD,
} from '../support/gateway/console.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { createDatabase, ENGINES, type Home, newHome } from '../support/gateway/home.ts'
import { operate } from '../support/gateway/operate.ts'

const DAY_MS = 86_400_000

test('only these routes are public, and only these for owners alone', () => {
  const having = (wanted: string) =>
    CONSOLE_ROUTES.filter(({ policy }) => policy === wanted)
      .map(({ method, path }) => `${method} ${path}`)
      .sort()
  expect(having('owner')).toEqual([
    'DELETE budgets/{id}',
    'DELETE invitations/{id}',
    'GET invitations',
    'GET wallet/history',
    'GET wallet/statement',
    'GET wallet/statements',
    'GET wallet/statements/{month}',
    'POST account',
    'POST budgets',
    'POST budgets/{id}',
    'POST invitations',
    'POST members',
    'POST members/remove',
    'POST notices/webhook',
    'POST wallet/redeem',
  ])
  expect(having('public')).toEqual([
    'GET about',
    'GET sign-in/{provider}',
    'GET sign-in/{provider}/callback',
    'POST email/verify',
    'POST invitations/show',
    'POST password/forgot',
    'POST password/reset',
    'POST register',
    'POST setup',
    'POST sign-in',
  ])
})

test('every POST says what it takes', () => {
  expect(CONSOLE_ROUTES.filter(({ method, body }) => method === 'POST' && body === undefined)).toEqual([])
})

type Person = {
  email: string
  token: string
  person: bigint
  account: bigint
  key: string
  session: string
  budget: string
}

const PROTECTED = CONSOLE_ROUTES.filter(({ policy }) => policy !== 'public')
const named = (routes: readonly ConsoleRoute[]) =>
  routes.map((route) => [`${route.method} ${route.path}`, route] as const)

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  let owner: Person
  /** One for each route, since some routes end the session. */
  let others: Person[]
  let dead: Record<string, string>
  let ownersRequest = ''

  beforeAll(async () => {
    const home = await newHome(engine)
    await createDatabase(home)
    ;({ owner, others, dead } = await prepare(home))
    gateway = await startGateway({ home })
    const options = { account: owner.email, name: `key of ${owner.email}` }
    const { id, secret } = await operate<{ id: string; secret: string }>(gateway, 'key create', options)
    owner.key = id
    const budget = { kind: 'key', key: id, amount: '100' }
    owner.budget = (await operate<{ id: string }>(gateway, 'budget create', budget)).id
    const answer = await chat(gateway.url, secret, {
      model: 'sandbox-text',
      messages: [{ role: 'user', content: 'a' }],
    })
    expect(answer.status).toBe(200)
    await answer.text()
    ownersRequest = answer.headers.get('x-request-id') ?? ''
  })
  afterAll(() => gateway.stop())

  const withToken = (token: string | undefined): ConsoleClient => {
    const client = consoleClient(gateway.url)
    client.setToken(token)
    return client
  }
  /** Ids in the path are the owner's. */
  const pathOf = ({ path }: ConsoleRoute): string =>
    path
      .replace('keys/{id}', `keys/${owner.key}`)
      .replace('budgets/{id}', `budgets/${owner.budget}`)
      .replace('invitations/{id}', 'invitations/999999999')
      .replace('sessions/{id}', `sessions/${owner.session}`)
      .replace('requests/{id}', `requests/${ownersRequest}`)
      .replace('{month}', `${new Date().toISOString().slice(0, 7)}.csv`)
      .replace('{provider}', 'company')
      .replace('{path...}', 'v1/chat/completions')
  const send = (
    client: ConsoleClient,
    route: ConsoleRoute,
    body: unknown = BODIES[route.path] ?? {},
  ): Promise<ConsoleAnswer> => {
    if (route.method === 'GET') return client.get(pathOf(route))
    if (route.method === 'DELETE') return client.delete(pathOf(route))
    return client.post(pathOf(route), body)
  }

  test.each(named(CONSOLE_ROUTES))('without a valid session: %s', async (_, route) => {
    expect(pathOf(route)).not.toContain('{')
    const visitors = { anonymous: undefined, nonsense: 'nonsense', guessed: newToken(), ...dead }
    for (const [name, token] of Object.entries(visitors)) {
      const answer = await send(withToken(token), route)
      const isRejected = outcomeOf(answer) === '401 not_signed_in'
      expect({ [name]: isRejected }).toEqual({ [name]: route.policy !== 'public' })
      expect(answer.text).not.toContain(owner.email)
    }
  })

  test.each(named(PROTECTED))("with another account's session: %s", async (_, route) => {
    const answer = await send(withToken(others[PROTECTED.indexOf(route)]?.token), route)
    expect(answer.status).not.toBe(401)
    expect(answer.status).toBeLessThan(500)
    for (const secret of [owner.email, ownersRequest]) expect(answer.text).not.toContain(`"${secret}"`)
    if (/\{id\}/.test(route.path)) expect(outcomeOf(answer)).toBe('404 not_found')
  })

  test('the owner has lost nothing by it', async () => {
    const client = withToken(owner.token)
    expect(outcomeOf(await client.get('session'))).toBe('200')
    const keys = await client.get<{ items: { id: string; state: string; name: string }[] }>('keys')
    expect(keys.body.items).toMatchObject([{ id: owner.key, state: 'active', name: `key of ${owner.email}` }])
    expect(outcomeOf(await client.get(`requests/${ownersRequest}`))).toBe('200')
  })

  test('what each route returns to the owner is what its schema says', async () => {
    const client = withToken(owner.token)
    const unseen = new Map(
      CONSOLE_ROUTES.filter(({ output }) => output instanceof Object).map((each) => [each.name, each]),
    )
    const call = async <T = unknown>(route: ConsoleRoute, body?: unknown): Promise<T> => {
      const answer = await send(client, route, body)
      expect(`${route.name}: ${outcomeOf(answer)}`).toBe(`${route.name}: ${route.status}`)
      if (route.output instanceof Object)
        expect([route.name, ...Value.Errors(route.output, answer.body)]).toEqual([route.name])
      unseen.delete(route.name)
      return answer.body as T
    }
    const callNamed = <T = unknown>(name: string, body?: unknown): Promise<T> => {
      const route = CONSOLE_ROUTES.find((each) => each.name === name)
      if (!route) throw new Error(`there is no route ${name}`)
      return call<T>(route, body)
    }
    const [created] = await operate<{ code: string }[]>(gateway, 'code create', { amount: '1' })
    const { url } = await operate<{ url: string }>(gateway, 'account sign-in-link', { account: owner.email })
    await callNamed('POST setup', { token: url.split('#')[1] })
    for (const route of CONSOLE_ROUTES.filter(({ method, output }) => method === 'GET' && output instanceof Object))
      await call(route)
    owner.budget = (await callNamed<{ id: string }>('POST budgets', BODIES.budgets)).id
    await callNamed('POST budgets/{id}')
    await callNamed('DELETE budgets/{id}')
    await callNamed('POST keys')
    await callNamed('POST keys/{id}')
    await callNamed('POST keys/{id}/rotate')
    await callNamed('DELETE keys/{id}')
    const email = 'member@example.com'
    await operate(gateway, 'account member', { account: String(owner.account), email, role: 'member' })
    await callNamed('POST members', { email, cap_usd: '1' })
    const invitation = await callNamed<{ url: string }>('POST invitations', {})
    await callNamed('POST invitations/show', { token: invitation.url.split('#')[1] })
    await callNamed('POST wallet/redeem', { code: created?.code })
    await callNamed('POST password', { password: PASSWORD })
    const { secret } = await callNamed<{ secret: string }>('POST second-factor/begin')
    const code = codeAt(decodeBase32(secret) ?? new Uint8Array(), Math.floor(Date.now() / 30_000))
    await callNamed('POST second-factor/confirm', { secret, code, password: PASSWORD })
    await callNamed('POST sign-in', { email: owner.email, password: PASSWORD })
    await callNamed('POST register', { email: 'new@example.com', password: PASSWORD })
    expect([...unseen.keys()]).toEqual([])
  })
})

/** Accounts with a session each, and the tokens of sessions that must not work. */
async function prepare({ dataDir, databaseUrl }: Home) {
  const storage = databaseUrl ? await openPostgres(databaseUrl) : await openSqlite(dataDir)
  async function newPerson(email: string, expiresAt = Date.now() + DAY_MS): Promise<Person> {
    const account = await storage.accounts.create(email, 10n * NANOS_PER_USD, CREDIT)
    const person = await storage.people.find(email)
    if (!account || !person) throw new Error(`${email} exists`)
    const token = newToken()
    const owned = { person: person.id, hash: hashToken(token), expiresAt, userAgent: 'a test', address: '127.0.0.1' }
    const session = await storage.sessions.create(owned)
    return { email, token, person: person.id, account: account.id, key: '', session: String(session?.id), budget: '' }
  }
  const owner = await newPerson('owner@example.com')
  const others: Person[] = []
  for (const [index] of PROTECTED.entries()) others.push(await newPerson(`other-${index}@example.com`))
  const expired = await newPerson('expired@example.com', Date.now() + 50)
  const disabled = await newPerson('disabled@example.com')
  await storage.people.setDisabled(disabled.person, true)
  const ended = await newPerson('ended@example.com')
  await storage.sessions.endAll(ended.person)
  await Bun.sleep(100)
  await storage.close()
  return { owner, others, dead: { expired: expired.token, disabled: disabled.token, ended: ended.token } }
}

/** Bodies that pass the check of the route, where it is not empty. */
const BODIES: Record<string, unknown> = {
  'sign-in': { email: 'nobody@example.com', password: 'nothing' },
  register: { email: 'no address', password: '' },
  'password/forgot': { email: 'nobody@example.com' },
  'password/reset': { token: 'x', password: 'another password' },
  'email/verify': { token: 'x' },
  setup: { token: 'x' },
  'invitations/show': { token: 'x' },
  'invitations/accept': { token: 'x' },
  'members/remove': { email: 'nobody@example.com' },
  password: { current: 'wrong password', password: 'another password' },
  'second-factor/confirm': { secret: 'A'.repeat(32), code: '000000', password: 'wrong password' },
  'second-factor/remove': { code: '000000', password: 'wrong password' },
  budgets: { kind: 'account', amount_usd: '100' },
  'budgets/{id}': { amount_usd: '0.01' },
  keys: { name: 'mine' },
  'keys/{id}': { name: 'taken over' },
  'keys/{id}/rotate': { grace_seconds: 0 },
  members: { email: 'nobody@example.com', cap_usd: null },
  'wallet/redeem': { code: 'AAAA-BBBB-CCCC-DDDD' },
  'playground/{path...}': { model: 'sandbox-text', messages: [{ role: 'user', content: 'hello' }] },
}
