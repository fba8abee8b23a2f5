// Sign-up, sign-in and sign-out as a browser does them, on both engines.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { eventually } from '../support/eventually.ts'
import { askStore } from '../support/gateway/ask-store.ts'
import { consoleClient, outcomeOf, PASSWORD } from '../support/gateway/console.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'

const CONFIG = `
server: { trusted_proxies: [127.0.0.1] }
registration: { trial_credit: 2, trial_budget_per_day: 1000 }
console: { name: Example AI, support_url: "https://example.com/help" }
`

let networks = 0
/** Each test has a network of its own, so that limits of others do not matter. */
const newNetwork = () => `198.51.${Math.floor(++networks / 250)}.${networks % 250}`

type SessionInfo = {
  account: { id: string; email: string; email_verified: boolean; has_password: boolean }
  balance_usd: string
  is_low: boolean
  low_balance_usd: string | null
  language: string | null
}

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway({ engine, config: CONFIG })
  })
  afterAll(async () => {
    await gateway.stop()
    rmSync(gateway.home.dataDir, { recursive: true, force: true })
  })

  const browser = (network = newNetwork()) => consoleClient(gateway.url, { 'x-forwarded-for': network })
  let people = 0
  /** A browser that has just signed up. */
  async function newPerson() {
    const email = `person-${++people}@example.com`
    const client = browser()
    expect(outcomeOf(await client.post('register', { email, password: PASSWORD }))).toBe('201')
    return { email, client }
  }
  const signIn = (email: string, password = PASSWORD, network = newNetwork()) => {
    const client = browser(network)
    return client.post('sign-in', { email, password }).then((answer) => ({ client, answer }))
  }

  test('about: what the sign-in page needs', async () => {
    const { body } = await browser().get('about')
    expect(body).toEqual({
      name: 'Example AI',
      support_url: 'https://example.com/help',
      mail: false,
      base_url: gateway.url,
      registration: { open: true, trial_credit_usd: '2.00' },
      password: { min_length: 8, max_length: 1024 },
      sign_in: { password: true, providers: [] },
      version: expect.any(String),
    })
  })

  test('a browser that registers is signed in, with its trial credit', async () => {
    const { email, client } = await newPerson()
    const { status, body, headers } = await client.get<SessionInfo>('session')
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toContain('no-store')
    expect(body).toEqual({
      account: {
        id: expect.any(String),
        name: email,
        role: 'owner',
        disabled: false,
        email,
        created_at: expect.any(String),
        email_verified: false,
        has_password: true,
      },
      accounts: [{ id: expect.any(String), name: email, role: 'owner' }],
      gateway_role: null,
      balance_usd: '2.00',
      credit_line_usd: '0.00',
      held_usd: '0.00',
      available_usd: '2.00',
      low_balance_usd: null,
      is_low: false,
      second_factor: false,
      may_set_password: false,
      language: null,
    } as never)
  })

  test('a program that registers gets no cookie', async () => {
    const response = await fetch(`${gateway.url}/console/api/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': newNetwork() },
      body: JSON.stringify({ email: 'program@example.com', password: PASSWORD }),
    })
    expect([response.status, response.headers.getSetCookie()]).toEqual([201, []])
  })

  test('sign-out ends the session, also for those who kept the cookie', async () => {
    const { email, client } = await newPerson()
    const token = client.token()
    const answer = await client.post('sign-out')
    expect([answer.status, answer.text, client.token()]).toEqual([204, '', undefined])
    client.setToken(token)
    expect(outcomeOf(await client.get('session'))).toBe('401 not_signed_in')
    expect(client.token()).toBeUndefined()
    const again = await signIn(email)
    expect([again.answer.status, again.answer.body]).toEqual([200, { signed_in: true } as never])
    expect((await again.client.get('session')).status).toBe(200)
  })

  test('the address is found in any case; every sign-in has a token of its own', async () => {
    const { email, client } = await newPerson()
    const planted = client.token()
    const other = browser()
    other.setToken(planted)
    await other.post('sign-in', { email: ` ${email.toUpperCase()} `, password: PASSWORD })
    expect(other.token()).not.toBe(planted)
    expect(outcomeOf(await other.get('session'))).toBe('200')
    // The session that the browser had before has ended.
    expect(outcomeOf(await client.get('session'))).toBe('401 not_signed_in')
  })

  test('an account made on the command line signs in; without a password it cannot', async () => {
    await gateway.command('account', 'create', '--email', `cli@example.com`, '--password', PASSWORD)
    await gateway.command('account', 'create', '--email', `bare@example.com`)
    expect(outcomeOf((await signIn('cli@example.com')).answer)).toBe('200')
    expect(outcomeOf((await signIn('bare@example.com')).answer)).toBe('401 wrong_credentials')
  })

  test('an unknown address, a wrong password and a disabled person look alike', async () => {
    const { email } = await newPerson()
    const disabled = (await newPerson()).email
    await gateway.command('person', 'disable', '--email', disabled)
    const answers = [await signIn('nobody@example.com'), await signIn(email, 'wrong password'), await signIn(disabled)]
    const [first] = answers.map(({ answer }) => [answer.status, answer.body])
    for (const { answer } of answers) expect([answer.status, answer.body]).toEqual(first as never)
    expect(first).toEqual([401, { error: expect.objectContaining({ code: 'wrong_credentials', param: null }) }])
  })

  test('`person disable` ends the sessions; they do not come back', async () => {
    const { email, client } = await newPerson()
    await gateway.command('person', 'disable', '--email', email)
    const token = client.token()
    expect(outcomeOf(await client.get('session'))).toBe('401 not_signed_in')
    await gateway.command('person', 'enable', '--email', email)
    client.setToken(token)
    expect(outcomeOf(await client.get('session'))).toBe('401 not_signed_in')
    expect(outcomeOf((await signIn(email)).answer)).toBe('200')
  })

  test('sessions are listed and ended, one by one or all', async () => {
    const { email, client } = await newPerson()
    const second = (await signIn(email, PASSWORD, '203.0.113.9')).client
    const third = (await signIn(email)).client
    const list = async () => {
      const { body } = await client.get<{ id: string; current: boolean; address: string }[]>('sessions')
      return body
    }
    const all = await list()
    expect(all.map(({ current }) => current).sort()).toEqual([false, false, true])
    const ofSecond = all.find(({ address }) => address === '203.0.113.9')
    expect(outcomeOf(await client.delete(`sessions/${ofSecond?.id}`))).toBe('204')
    expect(outcomeOf(await second.get('session'))).toBe('401 not_signed_in')
    expect(outcomeOf(await client.delete(`sessions/${ofSecond?.id}`))).toBe('404 not_found')
    expect(await list()).toHaveLength(2)
    expect(outcomeOf(await client.post('sign-out-everywhere', {}))).toBe('204')
    for (const each of [client, third]) expect(outcomeOf(await each.get('session'))).toBe('401 not_signed_in')
  })

  test('a new password needs the former one, and ends all other sessions', async () => {
    const { email, client } = await newPerson()
    const other = (await signIn(email)).client
    const change = (body: object) => client.post('password', body).then(outcomeOf)
    expect(await change({ password: 'another password' })).toBe('403 wrong_password')
    expect(await change({ current: 'wrong', password: 'another password' })).toBe('403 wrong_password')
    expect(await change({ current: PASSWORD, password: 'short' })).toBe('400 bad_request')
    expect(outcomeOf(await other.get('session'))).toBe('200')
    expect(await change({ current: PASSWORD, password: 'another password' })).toBe('204')
    expect(outcomeOf(await client.get('session'))).toBe('200')
    expect(outcomeOf(await other.get('session'))).toBe('401 not_signed_in')
    expect(outcomeOf((await signIn(email)).answer)).toBe('401 wrong_credentials')
    expect(outcomeOf((await signIn(email, 'another password')).answer)).toBe('200')
  })

  test('preferences are kept', async () => {
    const { client } = await newPerson()
    const read = async () => {
      const { body } = await client.get<SessionInfo>('session')
      return [body.low_balance_usd, body.is_low, body.language]
    }
    expect(outcomeOf(await client.post('preferences', { low_balance_usd: '2.5', language: 'zh' }))).toBe('204')
    expect(await read()).toEqual(['2.50', true, 'zh'])
    expect(outcomeOf(await client.post('preferences', { low_balance_usd: '0.000000001' }))).toBe('204')
    expect(await read()).toEqual(['0.000000001', false, 'zh'])
    expect(outcomeOf(await client.post('preferences', { low_balance_usd: null, language: null }))).toBe('204')
    expect(await read()).toEqual([null, false, null])
    for (const wrong of [{ low_balance_usd: '-1' }, { low_balance_usd: 5 }, { language: 'fr' }, { admin: true }])
      expect(outcomeOf(await client.post('preferences', wrong))).toBe('400 bad_request')
  })

  describe('guessing is limited', () => {
    const guess = async (email: string, network: string) =>
      outcomeOf((await signIn(email, 'wrong password', network)).answer)
    async function guesses(email: string, network: string, count: number): Promise<void> {
      for (let index = 0; index < count; index++) expect(await guess(email, network)).toBe('401 wrong_credentials')
    }

    test('per account and network, whatever the spelling; a success forgets', async () => {
      const { email } = await newPerson()
      const network = newNetwork()
      await guesses(email, network, 9)
      expect(outcomeOf((await signIn(email, PASSWORD, network)).answer)).toBe('200')
      const spellings = [email, email.toUpperCase(), email.replace('@', '+tag@')]
      for (let index = 0; index < 10; index++)
        expect(await guess(spellings[index % 3] ?? '', network)).toBe('401 wrong_credentials')
      expect(await guess(email, network)).toBe('429 too_many_tries')
      // Even with the right password, and says how long.
      const { answer } = await signIn(email, PASSWORD, network)
      expect(outcomeOf(answer)).toBe('429 too_many_tries')
      const wait = Number(answer.headers.get('retry-after'))
      expect(wait).toBeGreaterThan(0)
      expect(wait).toBeLessThanOrEqual(900)
    })

    test('an account that does not exist is limited in the same way', async () => {
      const network = newNetwork()
      await guesses('ghost@example.com', network, 10)
      expect(await guess('ghost@example.com', network)).toBe('429 too_many_tries')
    })

    test('the right password works while others guess: from another network, from a known browser, in the settings', async () => {
      const { email } = await newPerson()
      const network = newNetwork()
      const { client: known } = await signIn(email, PASSWORD, network)
      await known.post('sign-out')
      const settings = (await signIn(email, PASSWORD, network)).client
      await guesses(email, network, 10)
      expect(await guess(email, network)).toBe('429 too_many_tries')
      for (const other of [newNetwork(), newNetwork()]) await guesses(email, other, 1)
      expect(outcomeOf((await signIn(email)).answer)).toBe('200')
      expect(outcomeOf(await known.post('sign-in', { email, password: PASSWORD }))).toBe('200')
      expect(outcomeOf((await signIn(email, PASSWORD, network)).answer)).toBe('429 too_many_tries')
      const change = (current: string) => settings.post('password', { current, password: 'another password' })
      expect(outcomeOf(await change('wrong'))).toBe('403 wrong_password')
      expect(outcomeOf(await change(PASSWORD))).toBe('204')
    })

    test('a known browser has ten guesses of its own, at its own account only; others keep theirs', async () => {
      const [{ email }, other] = [await newPerson(), await newPerson()]
      const network = newNetwork()
      const { client } = await signIn(email, PASSWORD, network)
      const tryOut = async (address: string) =>
        outcomeOf(await client.post('sign-in', { email: address, password: 'wrong password' }))
      for (let index = 0; index < 10; index++) expect(await tryOut(email)).toBe('401 wrong_credentials')
      expect(await tryOut(email)).toBe('429 too_many_tries')
      expect(outcomeOf((await signIn(email, PASSWORD, network)).answer)).toBe('200')
      // At another account the same browser is as unknown as any.
      await guesses(other.email, network, 10)
      expect(await tryOut(other.email)).toBe('429 too_many_tries')
    })

    test('a browser that has signed up and out is known', async () => {
      const { email, client } = await newPerson()
      const network = newNetwork()
      await client.post('sign-out')
      await guesses(email, network, 10)
      const signInAgain = client.post('sign-in', { email, password: PASSWORD }, { 'x-forwarded-for': network })
      expect(outcomeOf(await signInAgain)).toBe('200')
    })

    test('a new password makes the browsers that knew the former one unknown', async () => {
      const { email, client: owner } = await newPerson()
      const network = newNetwork()
      const { client } = await signIn(email, PASSWORD, network)
      expect(outcomeOf(await owner.post('password', { current: PASSWORD, password: 'another password' }))).toBe('204')
      await guesses(email, network, 10)
      const signInAgain = (password: string) => client.post('sign-in', { email, password }).then(outcomeOf)
      expect(await signInAgain('another password')).toBe('429 too_many_tries')
    })

    test('during a flood from many networks the account holder signs in, from anywhere', async () => {
      const { email, client: known } = await newPerson()
      let isOver = false
      const outcomes = new Set<string>()
      const flood = Array.from({ length: 64 }, async (_, index) => {
        for (let round = 0; !isOver; round++)
          outcomes.add(await guess(email, `${20 + (round % 60)}.${index}.${round % 250}.1`))
      })
      await eventually(() => outcomes.has('401 wrong_credentials'))
      const own: string[] = []
      for (let index = 0; index < 3; index++) {
        own.push(outcomeOf((await signIn(email)).answer))
        own.push(outcomeOf(await known.post('sign-in', { email, password: PASSWORD })))
      }
      isOver = true
      await Promise.all(flood)
      expect(own).toEqual(Array(6).fill('200'))
    })

    test('an attempt that was not looked at is no guess', async () => {
      const network = newNetwork()
      const outcomes = await Promise.all(
        Array.from({ length: 90 }, (_, index) => guess(`busy-${index}@example.com`, network)),
      )
      const looked = outcomes.filter((outcome) => outcome === '401 wrong_credentials').length
      expect(outcomes.filter((outcome) => outcome === '503 service_unavailable')).toHaveLength(90 - looked)
      expect(looked).toBeLessThan(90)
      const [row] = await askStore(
        gateway.home,
        `SELECT attempts FROM attempt WHERE subject = 'sign-in from ${network}'`,
      )
      expect(Number(row?.attempts)).toBe(looked)
    })

    test('per wide network, too: the /64 networks of one /48', async () => {
      const network = (index: number) => `2001:db8:${people}:${index.toString(16)}::1`
      const outcomes = new Map<string, number>()
      const guessFrom = async (index: number) => {
        const outcome = await guess(`nobody-${index % 50}@example.com`, network(index))
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      }
      for (let index = 0; index < 420; index += 20)
        await Promise.all(Array.from({ length: 20 }, (_, offset) => guessFrom(index + offset)))
      expect(Object.fromEntries(outcomes)).toEqual({ '401 wrong_credentials': 400, '429 too_many_tries': 20 })
      expect(await guess('nobody-1@example.com', `2001:db8:ffff::1`)).toBe('401 wrong_credentials')
    })

    test('of the current password, by a browser that is signed in', async () => {
      const { client } = await newPerson()
      const change = () => client.post('password', { current: 'wrong', password: 'another password' }).then(outcomeOf)
      for (let index = 0; index < 10; index++) expect(await change()).toBe('403 wrong_password')
      expect(await change()).toBe('429 too_many_tries')
    })
  })
})
