// Sign-in at the providers of a company: two real ones, on loopback.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { eventually } from '../../test/support/eventually.ts'
import { consoleClient, outcomeOf, PASSWORD } from '../../test/support/gateway/console.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { ENGINES } from '../../test/support/gateway/home.ts'
import { operate } from '../../test/support/gateway/operate.ts'
import {
  CLIENT,
  newBrowser,
  type OpenIdProvider,
  startOpenIdProvider,
  type TestPerson,
} from '../support/openid-provider.ts'

let company: OpenIdProvider
let partner: OpenIdProvider
beforeAll(async () => {
  company = await startOpenIdProvider()
  partner = await startOpenIdProvider({ claimsInToken: true })
})
afterAll(() => {
  company.stop()
  partner.stop()
})

const config = (password = true) => `
registration: { open: false }
groups: [{ id: default, models: ["*"] }, { id: staff, models: ["*"] }]
sign_in:
  password: ${password}
  session_age: 6h
  providers:
    - { id: company, name: Example Inc, issuer: "${company.issuer}", client_id: ${CLIENT.id}, client_secret: "${CLIENT.secret}", domains: [example.com], groups_claim: groups, roles: { ops: admin, helpers: viewer, bosses: owner }, price_groups: { staff: staff } }
    - { id: partner, issuer: "${partner.issuer}", client_id: ${CLIENT.id}, client_secret: "${CLIENT.secret}" }
`

type Session = { account: { id: string; email: string; email_verified: boolean }; gateway_role: string | null }

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway({ engine, config: config() })
  })
  afterAll(() => gateway.stop())

  const startUrl = (provider = 'company') => `${gateway.url}/console/api/sign-in/${provider}`

  /** The page of the console that the browser ends at, and its session. */
  async function signIn(person: TestPerson | undefined, provider = 'company', query = '') {
    const at = provider === 'company' ? company : partner
    at.person = person
    const browser = newBrowser()
    const urls = await browser.follow(`${startUrl(provider)}${query}`)
    const client = consoleClient(gateway.url)
    client.setToken(browser.cookies.get('trivium_session'))
    const { status, body } = await client.get<Session>('session')
    const page = urls.at(-1)?.replace(`${gateway.url}/console`, '')
    return { page, urls, browser, client, session: status === 200 ? body : undefined }
  }
  const ada = { sub: 'ada', email: 'ada@example.com', email_verified: true }
  const roleOf = async (person: TestPerson) => (await signIn(person)).session?.gateway_role
  type Row = { action: string; object: string; before: unknown; after: unknown }
  const rowsOf = async (action: string) =>
    (await operate<Row[]>(gateway, 'audit-log')).filter((row) => row.action === action)

  test('the first sign-in makes a person with an account, though registration is closed; the next one finds it', async () => {
    const { body } = await consoleClient(gateway.url).get('about')
    expect(body).toMatchObject({
      registration: { open: false },
      sign_in: {
        password: true,
        providers: [
          { id: 'company', name: 'Example Inc' },
          { id: 'partner', name: 'partner' },
        ],
      },
    })
    const first = await signIn(ada, 'company', '?next=/usage')
    expect(first.page).toBe('/usage')
    expect(first.session).toMatchObject({
      account: { email: 'ada@example.com', email_verified: true },
      gateway_role: null,
    })
    expect(new URL(first.urls[1] ?? '').searchParams.get('code_challenge_method')).toBe('S256')
    expect(first.browser.cookies.has('trivium_sign_in')).toBe(false)
    // Its address may change at the provider: the subject is who it is.
    const second = await signIn({ ...ada, email: 'ada.lovelace@elsewhere.org', email_verified: false })
    expect(second.session?.account.id).toBe(first.session?.account.id ?? '')
    const [row] = await rowsOf('sign-in')
    expect(row).toMatchObject({ after: { provider: 'company', role: null, price_groups: [] } })
    expect(JSON.stringify(await rowsOf('sign-up'))).not.toContain(CLIENT.secret)
  })

  test('who is not let in is told why, and nothing is made', async () => {
    const refused: [TestPerson | undefined, string, string][] = [
      [{ sub: 'b', email: 'b@example.com', email_verified: false }, 'company', 'unverified_address'],
      [{ sub: 'c', email: 'c@example.com' }, 'company', 'unverified_address'],
      [{ sub: 'd' }, 'company', 'unverified_address'],
      [{ sub: 'e', email: 'e@elsewhere.org', email_verified: true }, 'company', 'foreign_domain'],
      [{ sub: 'f', email: 'f@sub.example.com', email_verified: true }, 'company', 'foreign_domain'],
      [{ sub: 'g', email: 'g@example.com', email_verified: true }, 'partner', 'not_invited'],
      [undefined, 'company', 'cancelled'],
    ]
    for (const [person, provider, reason] of refused) {
      const { page, session } = await signIn(person, provider)
      expect([page, session]).toEqual([`/sign-in?refused=${reason}`, undefined])
    }
    const made = (await rowsOf('sign-up')).length
    expect(made).toBe(1)
    await eventually(async () => (await rowsOf('sign-in failed')).length > 0)
    expect(await rowsOf('sign-in failed')).toMatchObject([{ object: 'provider/company' }])
  })

  test('a session ends six hours after the sign-in, and a sign-in without groups says so', async () => {
    await signIn(ada)
    type Sessions = { sessions: { expires_at: string; created_at: string }[] }
    const [session] = (await operate<Sessions>(gateway, 'account sessions', { account: ada.email })).sessions
    const lifeMs = Date.parse(session?.expires_at ?? '') - Date.parse(session?.created_at ?? '')
    expect(Math.round(lifeMs / 60_000)).toBe(360)
    const missing = { missing_groups_claim: 'groups' }
    expect((await rowsOf('sign-in'))[0]).toMatchObject({ after: missing })
    expect(gateway.output().stderr).toContain('sign-in: a provider sent no groups')
    await signIn({ ...ada, groups: [] })
    expect((await rowsOf('sign-in'))[0]?.after).not.toMatchObject(missing)
  })

  test('a callback works once, in the browser that began, with the state and the code that belong together', async () => {
    company.person = ada
    const [browser, other] = [newBrowser(), newBrowser()]
    const outcome = async (of: typeof browser, url: string) => {
      const { status, location = '' } = await of.step(url)
      return [status, location.replace(`${gateway.url}/console`, ''), of.cookies.has('trivium_session')]
    }
    async function callbackOf(of: typeof browser): Promise<string> {
      let next = startUrl()
      while (!next.includes('/callback?')) next = (await of.step(next)).location ?? ''
      return next
    }
    const callback = await callbackOf(browser)
    const expired = [303, '/sign-in?refused=expired', false]
    expect(await outcome(other, callback)).toEqual(expired)
    // Another browser's sign-in, whose cookie the callback does not fit.
    await callbackOf(other)
    expect(await outcome(other, callback)).toEqual(expired)

    const pending = browser.cookies.get('trivium_sign_in') ?? ''
    expect(await outcome(browser, callback)).toEqual([303, '/', true])
    browser.cookies.delete('trivium_session')
    expect(await outcome(browser, callback)).toEqual(expired)
    browser.cookies.set('trivium_sign_in', pending)
    expect(await outcome(browser, callback)).toEqual(expired)

    // A code of another sign-in has another verifier: the provider rejects it.
    const [mine, others] = [newBrowser(), newBrowser()]
    const [own, foreign] = [new URL(await callbackOf(mine)), new URL(await callbackOf(others))]
    own.searchParams.set('code', foreign.searchParams.get('code') ?? '')
    expect(await outcome(mine, own.href)).toEqual([303, '/sign-in?refused=failed', false])
    // The cookie of one provider is worth nothing at another.
    const moved = newBrowser()
    const elsewhere = (await callbackOf(moved)).replace('/company/', '/partner/')
    expect(await outcome(moved, elsewhere)).toEqual(expired)
    expect((await newBrowser().step(startUrl('nobody'))).status).toBe(404)
  })

  test('groups of the provider give a role and groups of prices, and take back what they gave', async () => {
    const person = { sub: 'grace', email: 'grace@example.com', email_verified: true }
    const first = await signIn({ ...person, groups: ['helpers', 'ops', 'staff', 'others'] })
    expect(first.session?.gateway_role).toBe('admin')
    const offered = async () => (await first.client.get<{ id: string }[]>('groups')).body.map(({ id }) => id)
    expect(await offered()).toEqual(['default', 'staff'])
    expect(await roleOf({ ...person, groups: ['helpers'] })).toBe('viewer')
    expect(await offered()).toEqual(['default'])
    expect(await roleOf({ ...person, groups: [] })).toBeNull()
    // By hand: raised by the provider, never lowered below it.
    await operate(gateway, 'person role', { email: person.email, role: 'support' })
    expect(await roleOf({ ...person, groups: ['helpers'] })).toBe('support')
    expect(await roleOf({ ...person, groups: ['ops'] })).toBe('admin')
    expect(await roleOf(person)).toBe('support')
    const [row] = await rowsOf('sign-in')
    expect(row).toMatchObject({ before: { role: 'admin' }, after: { role: 'support' } })
    // The only owner stays one.
    await operate(gateway, 'person role', { email: person.email, role: 'none' })
    expect(await roleOf({ ...person, groups: ['bosses'] })).toBe('owner')
    expect(await roleOf({ ...person, groups: ['ops'] })).toBe('owner')
  })

  test('a person who is here already is linked if the address is proved; one who is disabled stays out', async () => {
    await operate(gateway, 'account create', { email: 'known@example.com', credit: '1', password: PASSWORD })
    const known = { sub: 'k', email: 'Known@Example.com', email_verified: 'true' }
    expect((await signIn(known)).session?.account.email).toBe('known@example.com')
    // At a provider without domains, too, and both are the same person.
    const [there, here] = [await signIn({ ...known, sub: 'k2' }, 'partner'), await signIn(known)]
    expect(there.session?.account.id).toBe(here.session?.account.id ?? '')
    await operate(gateway, 'person disable', { email: 'known@example.com' })
    expect((await here.client.get('session')).status).toBe(401)
    expect((await signIn(known)).page).toBe('/sign-in?refused=disabled')
    expect((await signIn({ ...known, sub: 'another' })).page).toBe('/sign-in?refused=disabled')

    // Anyone could have signed up with the address.
    writeFileSync(gateway.home.configFile, config().replace('open: false', 'open: true'))
    const claim = { email: 'claimed@example.com', password: PASSWORD }
    await eventually(async () => (await consoleClient(gateway.url).post('register', claim)).status === 201)
    const victim = { sub: 'v', email: 'claimed@example.com', email_verified: true }
    expect((await signIn(victim)).page).toBe('/sign-in?refused=unproved_address')
  })

  test('without passwords, only owners of the gateway sign in with one; a provider that is gone is said to be', async () => {
    for (const name of ['owner', 'member'])
      await operate(gateway, 'account create', { email: `${name}@example.com`, credit: '1', password: PASSWORD })
    await operate(gateway, 'person role', { email: 'owner@example.com', role: 'owner' })
    const gone = config(false).replace(partner.issuer, 'http://127.0.0.1:1')
    writeFileSync(gateway.home.configFile, gone)
    const about = () => consoleClient(gateway.url).get<{ sign_in: { password: boolean } }>('about')
    await eventually(async () => !(await about()).body.sign_in.password)
    const withPassword = async (name: string) =>
      outcomeOf(await consoleClient(gateway.url).post('sign-in', { email: `${name}@example.com`, password: PASSWORD }))
    expect(await withPassword('member')).toBe('403 password_sign_in_off')
    expect(await withPassword('owner')).toBe('200')
    expect((await signIn(ada, 'partner')).page).toBe('/sign-in?refused=unavailable')
    expect((await signIn(ada)).page).toBe('/')
  })
})
