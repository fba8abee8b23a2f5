// Two-factor authentication with the codes that an authenticator app would show.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { codeAt, decodeBase32 } from '../../packages/gateway/src/console-api/session/totp.ts'
import { adminClient, adminOutcome } from '../support/admin/admin-client.ts'
import { changeStore } from '../support/gateway/ask-store.ts'
import { COOKIE, type ConsoleClient, consoleClient, outcomeOf, PASSWORD } from '../support/gateway/console.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'

const STEP_MS = 30_000
/** `ahead`: of the clock, in steps. The gateway accepts one step more or less: a code that is ahead outlasts a pause of the machine. */
const codeOf = (secret: string, ahead = 0): string =>
  codeAt(decodeBase32(secret) ?? new Uint8Array(), Math.floor(Date.now() / STEP_MS) + ahead)

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway({
      engine,
      config: 'server: { trusted_proxies: [127.0.0.1] }\nconsole: { name: Example AI }\n',
    })
  })
  afterAll(() => gateway.stop())

  let people = 0
  async function newPerson() {
    const email = `two-${++people}@example.com`
    await gateway.command('account', 'create', '--email', email, '--password', PASSWORD)
    const client = consoleClient(gateway.url)
    await client.post('sign-in', { email, password: PASSWORD })
    const signIn = (code?: string) =>
      consoleClient(gateway.url).post('sign-in', { email, password: PASSWORD, ...(code === undefined ? {} : { code }) })
    return { email, client, signIn }
  }
  /** Turned on with the present code, so that the next one is still unused. */
  async function turnOn(client: ConsoleClient) {
    const { secret } = (await client.post<{ secret: string }>('second-factor/begin')).body
    const code = codeOf(secret)
    const confirmed = await client.post<{ recovery_codes: string[] }>('second-factor/confirm', {
      secret,
      code,
      password: PASSWORD,
    })
    expect(outcomeOf(confirmed)).toBe('200')
    return { secret, code, codes: confirmed.body.recovery_codes }
  }
  const isOn = async (client: ConsoleClient) => (await client.get('session')).body.second_factor

  test('dangerous changes of the admin API need a code of the last ten minutes from people with a second factor', async () => {
    const { email, client } = await newPerson()
    await gateway.command('person', 'role', '--email', email, '--role', 'owner')
    await client.post('sign-in', { email, password: PASSWORD })
    const headers = () => ({ cookie: `${COOKIE}=${client.token()}`, origin: gateway.url })
    const admin = async (method: string, path: string, body?: object) =>
      adminOutcome(
        await adminClient(gateway.url)(method, path, { headers: headers(), ...(body === undefined ? {} : { body }) }),
      )
    const credit = (query = '') => admin('POST', `accounts/${email}/credits${query}`, { amount_usd: '1' })
    const invite = (more: object) => admin('POST', 'invitations', { account: email, ...more })
    const verify = async (code: string) => outcomeOf(await client.post('session/verify', { code }))

    expect([await credit(), await verify('123456')]).toEqual(['200', '409 conflict'])
    const { secret, codes } = await turnOn(client)
    // Turning it on took a code.
    expect(await credit()).toBe('200')
    const age = () => changeStore(gateway.home, 'UPDATE session SET proved_at = proved_at - 600001')
    await age()
    expect(await credit()).toBe('403 second_factor_needed')
    expect(await invite({ role: 'viewer' })).toBe('403 second_factor_needed')
    // What is not dangerous, and dry runs, go on.
    expect([await credit('?dry_run=true'), await invite({}), await admin('GET', 'accounts')]).toEqual([
      '200',
      '201',
      '200',
    ])
    expect([await verify('000000'), await credit()]).toEqual(['400 bad_request', '403 second_factor_needed'])
    expect([await verify(codeOf(secret, 1)), await credit(), await invite({ role: 'viewer' })]).toEqual([
      '204',
      '200',
      '201',
    ])
    await age()
    expect([await credit(), await verify(codes[0] ?? ''), await credit()]).toEqual([
      '403 second_factor_needed',
      '204',
      '200',
    ])
    await client.post('sign-in', { email, password: PASSWORD, code: codes[1] })
    expect(await credit()).toBe('200')
  })

  test('guesses at the code in a session are few, and those in all sessions of a person', async () => {
    const { email, client } = await newPerson()
    const { codes } = await turnOn(client)
    const guess = async (code: string) => outcomeOf(await client.post('session/verify', { code }))
    for (const code of codes.slice(0, 2)) {
      await client.post('sign-in', { email, password: PASSWORD, code })
      for (let wrong = 0; wrong < 10; wrong += 1) expect(await guess('000000')).toBe('400 bad_request')
      expect(await guess(codes[9] ?? '')).toBe('429 too_many_tries')
    }
    await client.post('sign-in', { email, password: PASSWORD, code: codes[2] })
    expect(await guess(codes[9] ?? '')).toBe('429 too_many_tries')
  })

  test('nothing holds until a code confirms it', async () => {
    const { email, client, signIn } = await newPerson()
    const { body } = await client.post<{ secret: string; uri: string }>('second-factor/begin')
    expect(body.secret).toMatch(/^[A-Z2-7]{32}$/)
    const label = `Example%20AI:${encodeURIComponent(email)}`
    const rest = `issuer=Example%20AI&algorithm=SHA1&digits=6&period=30`
    expect(body.uri).toBe(`otpauth://totp/${label}?secret=${body.secret}&${rest}`)
    expect(await isOn(client)).toBe(false)
    const confirm = (change: object) =>
      client
        .post('second-factor/confirm', {
          secret: body.secret,
          code: codeOf(body.secret),
          password: PASSWORD,
          ...change,
        })
        .then(outcomeOf)
    const wrong = String((Number(codeOf(body.secret)) + 1) % 1_000_000).padStart(6, '0')
    expect(await confirm({ password: 'wrong' })).toBe('403 wrong_password')
    expect(await confirm({ code: wrong })).toBe('400 bad_request')
    expect(await confirm({ secret: 'MZXW6' })).toBe('400 bad_request')
    expect(await confirm({ secret: '1'.repeat(32) })).toBe('400 bad_request')
    expect(await isOn(client)).toBe(false)
    expect(outcomeOf(await signIn())).toBe('200')
  })

  test('sign-in asks for a code, and each code works once', async () => {
    const { client, signIn } = await newPerson()
    const { secret, code: used } = await turnOn(client)
    expect(await isOn(client)).toBe(true)
    const asked = await signIn()
    expect([asked.status, asked.body]).toEqual([200, { signed_in: false, second_factor_required: true } as never])
    expect(asked.headers.getSetCookie()).toEqual([])
    // The code that turned it on was used.
    expect(outcomeOf(await signIn(used))).toBe('401 wrong_code')
    const code = codeOf(secret, 1)
    const spaced = `${code.slice(0, 3)} ${code.slice(3)}`
    expect((await signIn(spaced)).body).toEqual({ signed_in: true } as never)
    expect(outcomeOf(await signIn(code))).toBe('401 wrong_code')
    expect(outcomeOf(await signIn('000000x'))).toBe('401 wrong_code')
  })

  test('without the password, a code is worth nothing and is not used up', async () => {
    const { email, client, signIn } = await newPerson()
    const { secret } = await turnOn(client)
    const code = codeOf(secret, 1)
    const guess = await consoleClient(gateway.url).post('sign-in', { email, password: 'wrong password', code })
    expect(outcomeOf(guess)).toBe('401 wrong_credentials')
    expect(outcomeOf(await signIn(code))).toBe('200')
  })

  test('ten recovery codes, each works once, however it is written', async () => {
    const { client, signIn } = await newPerson()
    const { codes } = await turnOn(client)
    expect(new Set(codes).size).toBe(10)
    const [first = '', second = ''] = codes
    expect(first).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/)
    expect((await signIn(first)).body).toEqual({ signed_in: true } as never)
    expect(outcomeOf(await signIn(first))).toBe('401 wrong_code')
    expect((await signIn(` ${second.replaceAll('-', ' ').toUpperCase()} `)).body).toEqual({ signed_in: true } as never)
  })

  test('one code, many sign-ins at once: one succeeds', async () => {
    const { client, signIn } = await newPerson()
    const { secret, codes } = await turnOn(client)
    for (const code of [codeOf(secret, 1), codes[0] ?? '']) {
      const outcomes = await Promise.all(Array.from({ length: 4 }, () => signIn(code).then(outcomeOf)))
      expect(outcomes.sort()).toEqual(['200', ...Array(3).fill('401 wrong_code')])
    }
  })

  test('guesses of codes are limited like those of passwords', async () => {
    const { client, signIn } = await newPerson()
    await turnOn(client)
    const outcomes: string[] = []
    for (let index = 0; index < 12; index++) outcomes.push(outcomeOf(await signIn(`00000${index % 10}`)))
    expect(outcomes.slice(-2)).toEqual(['429 too_many_tries', '429 too_many_tries'])
  })

  test('and from however many networks, by account: six digits are few; a known browser has a count of its own', async () => {
    const { email, client } = await newPerson()
    const { codes } = await turnOn(client)
    let networks = 0
    const from = () => consoleClient(gateway.url, { 'x-forwarded-for': `198.51.${people}.${++networks}` })
    const signIn = async (code: string | undefined) =>
      outcomeOf(await from().post('sign-in', { email, password: PASSWORD, code }))
    for (let index = 0; index < 20; index++) expect(await signIn('000000x')).toBe('401 wrong_code')
    expect([await signIn('000000x'), await signIn(codes[0])]).toEqual(Array(2).fill('429 too_many_tries'))
    expect(outcomeOf(await client.post('sign-in', { email, password: PASSWORD, code: codes[0] }))).toBe('200')
  })

  test('turning it on ends the other sessions', async () => {
    const { email, client } = await newPerson()
    const other = consoleClient(gateway.url)
    await other.post('sign-in', { email, password: PASSWORD })
    await turnOn(client)
    expect([await client.get('session'), await other.get('session')].map(outcomeOf)).toEqual([
      '200',
      '401 not_signed_in',
    ])
  })

  test('so are those of a signed-in browser that knows the password', async () => {
    const { client, signIn } = await newPerson()
    const { codes } = await turnOn(client)
    const outcomes: string[] = []
    for (let index = 0; index < 12; index++)
      outcomes.push(
        outcomeOf(await client.post('second-factor/remove', { password: PASSWORD, code: `00000${index % 10}` })),
      )
    expect(outcomes.slice(-2)).toEqual(['429 too_many_tries', '429 too_many_tries'])
    // The sign-in has counts of its own.
    expect([outcomeOf(await signIn(codes[0])), await isOn(client)]).toEqual(['200', true])
  })

  test('turned on twice at once, it has one secret, and only its recovery codes', async () => {
    const { client, signIn } = await newPerson()
    const confirm = async () => {
      const { secret } = (await client.post<{ secret: string }>('second-factor/begin')).body
      const body = { secret, code: codeOf(secret), password: PASSWORD }
      return await client.post<{ recovery_codes?: string[] }>('second-factor/confirm', body)
    }
    const answers = await Promise.all([confirm(), confirm(), confirm()])
    expect(answers.map(outcomeOf).sort()).toEqual(['200', '409 conflict', '409 conflict'])
    const codes = answers.flatMap(({ body }) => body.recovery_codes ?? [])
    expect(outcomeOf(await signIn(codes[0]))).toBe('200')
  })

  test('it is turned off with password and code, and can be turned on again', async () => {
    const { client, signIn } = await newPerson()
    const { secret, codes } = await turnOn(client)
    expect(
      outcomeOf(await client.post('second-factor/confirm', { secret, code: codeOf(secret), password: PASSWORD })),
    ).toBe('409 conflict')
    const remove = (body: object) => client.post('second-factor/remove', body).then(outcomeOf)
    expect(await remove({ password: 'wrong', code: codeOf(secret) })).toBe('403 wrong_password')
    expect(await remove({ password: PASSWORD, code: 'no code' })).toBe('400 bad_request')
    expect(await isOn(client)).toBe(true)
    expect(await remove({ password: PASSWORD, code: codes[0] })).toBe('204')
    expect(await isOn(client)).toBe(false)
    expect(outcomeOf(await signIn())).toBe('200')
    expect(await remove({ password: PASSWORD, code: codes[1] })).toBe('409 conflict')
    const again = await turnOn(client)
    // The codes of the former secret are gone.
    expect(outcomeOf(await signIn(codes[1]))).toBe('401 wrong_code')
    expect(outcomeOf(await signIn(again.codes[0]))).toBe('200')
  })
})
