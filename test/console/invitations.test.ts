// Invitations by link, by operators and by owners of an account, up to what the person can do then.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { adminClient, adminOutcome } from '../support/admin/admin-client.ts'
import { consoleClient, outcomeOf, PASSWORD } from '../support/gateway/console.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'
import { operate } from '../support/gateway/operate.ts'

type Made = { id: string; url: string }
type Session = { account: { id: string; role: string }; gateway_role: string | null; accounts: { id: string }[] }

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  let account: string
  beforeAll(async () => {
    gateway = await startGateway({ engine, config: 'registration: { open: false }' })
    account = (
      await operate<{ id: string }>(gateway, 'account create', { email: 'ada@example.com', password: PASSWORD })
    ).id
    for (const role of ['admin', 'support'] as const) {
      await operate(gateway, 'account create', { email: `${role}@example.com`, password: PASSWORD })
      await operate(gateway, 'person role', { email: `${role}@example.com`, role })
    }
  })
  afterAll(() => gateway.stop())

  const signedIn = async (email: string) => {
    const client = consoleClient(gateway.url)
    expect(outcomeOf(await client.post('sign-in', { email, password: PASSWORD }))).toBe('200')
    return client
  }
  const tokenOf = ({ url }: Made) => url.split('/console/invitation#')[1] ?? ''
  const signUp = async (email: string, invitation?: string) => {
    const client = consoleClient(gateway.url)
    const body = { email, password: PASSWORD, ...(invitation === undefined ? {} : { invitation }) }
    return { client, outcome: outcomeOf(await client.post('register', body)) }
  }

  test('an owner invites into the account; the person signs up though registration is closed, and loses access when removed', async () => {
    const owner = await signedIn('ada@example.com')
    const made = (await owner.post<Made>('invitations', { email: 'grace@example.com' })).body
    const token = tokenOf(made)
    expect((await owner.get<Made[]>('invitations')).body).toMatchObject([{ id: made.id, email: 'grace@example.com' }])
    const shown = await consoleClient(gateway.url).post('invitations/show', { token })
    expect(shown.body).toMatchObject({ account: 'ada@example.com', member_role: 'member', role: null })

    expect((await signUp('grace@example.com')).outcome).toBe('403 registration_closed')
    expect((await signUp('grace@example.com', 'x'.repeat(43))).outcome).toBe('410 link_expired')
    expect((await signUp('mallory@example.com', token)).outcome).toBe('403 forbidden')
    const { client, outcome } = await signUp('grace@example.com', token)
    expect(outcome).toBe('201')
    expect(outcomeOf(await owner.post('invitations/accept', { token }))).toBe('403 forbidden')
    const both = await Promise.all([1, 2].map(() => client.post('invitations/accept', { token })))
    expect(both.map(outcomeOf).sort()).toEqual(['204', '410 link_expired'])
    const session = (await client.get<Session>('session')).body
    expect([session.account.id, session.account.role, session.accounts.length]).toEqual([account, 'member', 2])

    // A member neither invites nor removes.
    expect(outcomeOf(await client.post('invitations', {}))).toBe('403 owners_only')
    expect(outcomeOf(await client.post('members/remove', { email: 'ada@example.com' }))).toBe('403 owners_only')
    expect(outcomeOf(await owner.post('members/remove', { email: 'ada@example.com' }))).toBe('409 conflict')
    const key = (await client.post<{ key: { id: string }; secret: string }>('keys', { name: 'k' })).body.secret
    expect(outcomeOf(await owner.post('members/remove', { email: 'grace@example.com' }))).toBe('204')
    expect((await client.get('session')).status).toBe(401)
    const models = () => fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
    expect((await models()).status).toBe(401)
  })

  test('operators give roles below their own rank, and only while they have it', async () => {
    const keyOf = async (role: string) => {
      const { secret } = await operate<{ secret: string }>(gateway, 'admin-key create', { name: role, role })
      return adminClient(gateway.url, secret)
    }
    const [admin, support] = [await keyOf('admin'), await keyOf('support')]
    const create = async (client: typeof admin, body: object) =>
      adminOutcome(await client('POST', 'invitations', { body }))
    expect(await create(admin, { role: 'admin' })).toBe('403 forbidden')
    expect(await create(support, { role: 'viewer' })).toBe('403 forbidden')
    expect(await create(support, { account })).toBe('201')
    expect(await create(admin, {})).toBe('400 bad_request')
    expect(await create(admin, { account, expires_at: '2999-01-01T00:00:00Z' })).toBe('400 bad_request')
    const made = (await admin<Made>('POST', 'invitations', { body: { role: 'support' } })).body
    expect(adminOutcome(await support('DELETE', `invitations/${made.id}`))).toBe('403 forbidden')
    expect((await signUp('helper@example.com', tokenOf(made))).outcome).toBe('201')
    const helper = await signedIn('helper@example.com')
    expect(outcomeOf(await helper.post('invitations/accept', { token: tokenOf(made) }))).toBe('204')
    expect((await helper.get<Session>('session')).body.gateway_role).toBe('support')

    // A lower role is no gain, and takes nothing.
    const lower = await operate<Made>(gateway, 'invitation create', { role: 'viewer' })
    expect(outcomeOf(await helper.post('invitations/accept', { token: tokenOf(lower) }))).toBe('204')
    expect((await helper.get<Session>('session')).body.gateway_role).toBe('support')

    const headers = { cookie: `trivium_session=${(await signedIn('admin@example.com')).token()}`, origin: gateway.url }
    const byPerson = (
      await adminClient(gateway.url)<Made>('POST', 'invitations', { body: { role: 'viewer' }, headers })
    ).body
    await operate(gateway, 'person role', { email: 'admin@example.com', role: 'none' })
    expect(outcomeOf(await helper.post('invitations/show', { token: tokenOf(byPerson) }))).toBe('410 link_expired')
  })

  test('a revoked one and those of others are worth nothing', async () => {
    const made = await operate<Made>(gateway, 'invitation create', { account, 'member-role': 'owner' })
    const other = await signedIn('support@example.com')
    expect(outcomeOf(await other.delete(`invitations/${made.id}`))).toBe('404 not_found')
    expect((await other.get<Made[]>('invitations')).body).toEqual([])
    expect(outcomeOf(await (await signedIn('ada@example.com')).delete(`invitations/${made.id}`))).toBe('204')
    expect(outcomeOf(await other.post('invitations/accept', { token: tokenOf(made) }))).toBe('410 link_expired')
    const rows = JSON.stringify(await operate(gateway, 'audit-log'))
    for (const action of ['create', 'accept', 'revoke']) expect(rows).toContain(`"invitation ${action}"`)
    expect(rows).not.toContain(tokenOf(made))
  })
})
