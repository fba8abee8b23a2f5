// Every route of the admin API with every role and with credentials that must not work. The list of routes is the gateway's own table: a
// new route is tried without a change here.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Value } from 'typebox/value'
import { adminRoutes, formatsOf, type ServedRoute } from '../../packages/gateway/src/admin-api/routes.ts'
import { ADMIN_ERROR } from '../../packages/gateway/src/http-api/errors.ts'
import { permits } from '../../packages/gateway/src/operate/permissions.ts'
import { GATEWAY_ROLES, type GatewayRole } from '../../packages/gateway/src/storage/people/people.ts'
import { type AdminAnswer, type AdminClient, adminClient, adminOutcome } from '../support/admin/admin-client.ts'
import { COOKIE, consoleClient, PASSWORD } from '../support/gateway/console.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { operate } from '../support/gateway/operate.ts'

const ROUTES = adminRoutes()
const BY_NAME = ROUTES.map((route) => [route.name, route] as const)

let gateway: Gateway
let keys: Record<GatewayRole, string>
let sessions: Record<GatewayRole | 'holder', string>
let modelKey = ''

beforeAll(async () => {
  gateway = await startGateway({ config: 'server: { trusted_proxies: [127.0.0.1] }' })
  const adminKey = async (role: GatewayRole) =>
    (await operate<{ secret: string }>(gateway, 'admin-key create', { name: role, role })).secret
  const session = async (role: GatewayRole | 'holder') => {
    const email = `${role}@example.com`
    await operate(gateway, 'account create', { email, password: PASSWORD })
    if (role !== 'holder') await operate(gateway, 'person role', { email, role })
    const client = consoleClient(gateway.url)
    await client.post('sign-in', { email, password: PASSWORD })
    return client.token() ?? ''
  }
  const each = async <N extends string, T>(names: readonly N[], make: (name: N) => Promise<T>) =>
    Object.fromEntries(await Promise.all(names.map(async (name) => [name, await make(name)] as const))) as Record<N, T>
  keys = await each(GATEWAY_ROLES, adminKey)
  sessions = await each([...GATEWAY_ROLES, 'holder'], session)
  const options = { account: 'holder@example.com', name: 'k' }
  modelKey = (await operate<{ secret: string }>(gateway, 'key create', options)).secret
})
afterAll(() => gateway.stop())

/** Names things that do not exist: what a caller may not do is rejected before anything is looked up, and nothing is changed. */
const send = (client: AdminClient, { method, path, body }: ServedRoute, headers: Record<string, string> = {}) => {
  const url = `${path.replace(/\{\w+\}/g, '999999999')}${method === 'GET' ? '' : '?dry_run=true'}`
  return client(method, url, { ...(body === undefined ? {} : { body: {} }), headers })
}

function expectError(answer: AdminAnswer, expected: string): void {
  expect(adminOutcome(answer)).toBe(expected)
  expect(Value.Check(ADMIN_ERROR, answer.body)).toBe(true)
}

/** Whoever may call it gets no other error than these: nothing is found, or the input is incomplete. */
function expectAllowed(answer: AdminAnswer): void {
  expect(adminOutcome(answer)).toMatch(/^(200|400 bad_request|404 (not_found|unknown_code)|409 conflict)$/)
  if (answer.status !== 200) expect(Value.Check(ADMIN_ERROR, answer.body)).toBe(true)
  expect(answer.body.error?.message ?? '').not.toStartWith('There is nothing at')
}

describe.each(BY_NAME)('%s', (_, route) => {
  test('is described', () => {
    expect(route.summary).toMatch(/^[A-Z]\S*s /)
    const { properties } = route.operation.input as unknown as { properties: object }
    const taken = [route.parameters, route.query, route.body].flatMap((each) => Object.keys(each?.properties ?? {}))
    const general =
      route.method === 'GET' ? (formatsOf(route.declared).length > 0 ? ['format'] : []) : ['dry_run', 'reason']
    expect(taken.sort()).toEqual([...new Set([...Object.keys(properties), ...general])].sort())
  })

  test('with every role, by key and by session', async () => {
    const answers = GATEWAY_ROLES.flatMap((role) => {
      const headers = { cookie: `${COOKIE}=${sessions[role]}`, origin: gateway.url }
      const calls = [send(adminClient(gateway.url, keys[role]), route), send(adminClient(gateway.url), route, headers)]
      return calls.map(async (call) => [role, await call] as const)
    })
    for (const [role, answer] of await Promise.all(answers)) {
      if (permits(role, route.policy)) expectAllowed(answer)
      else if (route.method === 'GET') expectError(answer, '404 not_found')
      else {
        expectError(answer, '403 forbidden')
        expect(answer.body.error?.message).toContain(`'${route.policy}'`)
      }
    }
  })

  test('without a credential that works', async () => {
    const session = (name: GatewayRole | 'holder') => ({ cookie: `${COOKIE}=${sessions[name]}` })
    const nobody = adminClient(gateway.url)
    expectError(await send(nobody, route), '401 invalid_admin_key')
    expectError(await send(nobody, route, { cookie: `${COOKIE}=${'a'.repeat(43)}` }), '401 invalid_admin_key')
    expectError(await send(nobody, route, session('holder')), '403 forbidden')
    // Each from a network of its own: a network may send few wrong credentials.
    const from = { 'x-forwarded-for': `100.${ROUTES.indexOf(route) % 256}.0.1` }
    expectError(await send(adminClient(gateway.url, modelKey), route, from), '401 invalid_admin_key')
    const foreign = { ...session('owner'), origin: 'https://elsewhere.example.com' }
    expectError(await send(nobody, route, foreign), '403 foreign_page')
  })
})

test('a model key is rejected by the admin API, and an admin key by model endpoints, each with a sentence', async () => {
  const atAdmin = await adminClient(gateway.url, modelKey)('GET', 'keys/1')
  expectError(atAdmin, '401 invalid_admin_key')
  expect(atAdmin.body.error?.message).toContain('begin with ak-')
  const authorization = `Bearer ${keys.owner}`
  const atModels = await fetch(`${gateway.url}/v1/models`, { headers: { authorization } })
  expect(atModels.status).toBe(401)
  expect(await atModels.text()).toContain('Admin keys cannot call models')
})
