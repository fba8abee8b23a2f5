// Links that the operator gets from the terminal: at the first start, and for account holders who are locked out.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { codeAt, decodeBase32 } from '../../packages/gateway/src/console-api/session/totp.ts'
import { type ConsoleClient, consoleClient, outcomeOf, PASSWORD } from '../../test/support/gateway/console.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { ENGINES } from '../../test/support/gateway/home.ts'

const linkIn = (stdout: string) => /^ {2}(\S+)\/console\/setup#(\S+)$/m.exec(stdout)

type Session = {
  gateway_role: string | null
  account: { email: string; has_password: boolean }
  may_set_password: boolean
  balance_usd: string
}

describe.each([...ENGINES])('%s', (engine) => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway({ engine })
  })
  afterAll(() => gateway.stop())

  test('signs in as the account of the key, once, and lets it choose a password', async () => {
    const [, url = '', token = ''] = linkIn(gateway.output().stdout) ?? []
    expect(url).toBe(gateway.url)
    expect(gateway.output().stdout.match(/sk-/g)).toHaveLength(1)
    const client = consoleClient(gateway.url)
    expect(outcomeOf(await client.post('setup', { token: 'x'.repeat(43) }))).toBe('410 link_expired')
    const roles = async () =>
      (await gateway.command<{ action: string }[]>('audit-log')).filter(({ action }) => action === 'person role')
    expect(await roles()).toEqual([])
    expect((await client.post('setup', { token })).body).toEqual({ signed_in: true } as never)
    const { body } = await client.get<Session>('session')
    expect(body.gateway_role).toBe('owner')
    expect(await roles()).toMatchObject([{ after: { role: 'owner' } }])
    expect(body).toMatchObject({ may_set_password: true, balance_usd: '10.00', account: { has_password: false } })
    const { email } = body.account
    expect(email).toBe('newcomer@trivium.local')

    const second = consoleClient(gateway.url)
    const used = await second.post('setup', { token })
    expect([outcomeOf(used), second.token()]).toEqual(['410 link_expired', undefined])
    expect(used.body.error?.message).toContain('has already been used')

    expect(outcomeOf(await client.post('password', { password: 'short' }))).toBe('400 bad_request')
    expect(outcomeOf(await client.post('password', { password: PASSWORD }))).toBe('204')
    expect((await client.get<Session>('session')).body.may_set_password).toBe(false)
    // From now on the former password is required.
    expect(outcomeOf(await client.post('password', { password: 'another password' }))).toBe('403 wrong_password')
    expect(outcomeOf(await second.post('sign-in', { email, password: PASSWORD }))).toBe('200')
    const everything = JSON.stringify(gateway.output().stderr)
    expect(everything).not.toContain(token)
    expect(everything).not.toContain(client.token() ?? '?')
  })

  test('is printed with models of a file or a vendor, too, once for all processes, without a key or credit', async () => {
    const config = `upstreams: [{ id: real, dialect: chat, base_url: "http://127.0.0.1:1/v1", keys: [none] }]
models: [{ id: real-model, routes: [{ upstream: real, model: x }], price: { input: 1, output: 1 } }]`
    const env = { OPENAI_API_KEY: 'none' }
    const starts = [{ config }, { env }, ...(engine === 'postgres' ? [{ config, env: { TRIVIUM_WORKERS: '2' } }] : [])]
    for (const start of starts) {
      const other = await startGateway({ engine, ...start })
      const { stdout } = other.output()
      expect([stdout.match(/console\/setup#/g)?.length, stdout.match(/sk-/g)]).toEqual([1, null])
      const client = consoleClient(other.url)
      await client.post('setup', { token: linkIn(stdout)?.[2] })
      expect((await client.get<Session>('session')).body).toMatchObject({ gateway_role: 'owner', balance_usd: '0.00' })
      await other.stop()
    }
  })

  describe('an account holder who is locked out', () => {
    const NEW_PASSWORD = 'a new password'
    let people = 0
    async function newPerson(...options: string[]) {
      const email = `locked-${++people}@example.com`
      await gateway.command('account', 'create', '--email', email, ...options)
      const signIn = async (password: string, code?: string) => {
        const client = consoleClient(gateway.url)
        const answer = await client.post('sign-in', { email, password, ...(code === undefined ? {} : { code }) })
        return { client, answer }
      }
      return { email, signIn }
    }
    const linkFor = async (email: string): Promise<string> => {
      const { url, expires_at } = await gateway.command<{ url: string; expires_at: string }>(
        ...['account', 'sign-in-link', '--account', email],
      )
      const hours = (Date.parse(expires_at) - Date.now()) / 3_600_000
      expect([hours > 23.9, hours <= 24]).toEqual([true, true])
      return /\/console\/setup#([\w-]{43})$/.exec(url)?.[1] ?? url
    }
    const open = (body: object, client = consoleClient(gateway.url)) => client.post('setup', body)
    /** Turns two-factor authentication on. */
    async function turnOn(client: ConsoleClient): Promise<{ code: string; recovery: string }> {
      const { secret } = (await client.post<{ secret: string }>('second-factor/begin')).body
      const step = Math.floor(Date.now() / 30_000)
      const codeOf = (at: number) => codeAt(decodeBase32(secret) ?? new Uint8Array(), at)
      const { body } = await client.post<{ recovery_codes: string[] }>('second-factor/confirm', {
        secret,
        code: codeOf(step),
        password: PASSWORD,
      })
      return { code: codeOf(step + 1), recovery: body.recovery_codes[0] ?? '' }
    }

    test('`account sign-in-link`: a new password, once, which signs in and ends all sessions', async () => {
      const { email, signIn } = await newPerson('--password', PASSWORD)
      const { client: former } = await signIn(PASSWORD)
      for (let index = 0; index < 11; index++) await signIn('wrong password')
      expect(outcomeOf((await signIn(PASSWORD)).answer)).toBe('429 too_many_tries')
      const replaced = await linkFor(email)
      const token = await linkFor(email)
      expect(outcomeOf(await open({ token: replaced }))).toBe('410 link_expired')
      // Opening it changes nothing yet, and does not use it up.
      for (let index = 0; index < 2; index++) {
        const client = consoleClient(gateway.url)
        const { body } = await open({ token }, client)
        expect([body, client.token()]).toEqual([{ signed_in: false, password_required: true } as never, undefined])
      }
      expect(outcomeOf(await open({ token, password: 'short' }))).toBe('400 bad_request')
      expect(outcomeOf(await former.get('session'))).toBe('200')
      const client = consoleClient(gateway.url)
      expect((await open({ token, password: NEW_PASSWORD }, client)).body).toEqual({ signed_in: true } as never)
      expect((await client.get<Session>('session')).body.account.email).toBe(email)
      expect(outcomeOf(await former.get('session'))).toBe('401 not_signed_in')
      expect(outcomeOf(await open({ token, password: PASSWORD }))).toBe('410 link_expired')
      expect(outcomeOf((await signIn(PASSWORD)).answer)).toBe('401 wrong_credentials')
      expect(outcomeOf((await signIn(NEW_PASSWORD)).answer)).toBe('200')
      expect(gateway.output().stderr).not.toContain(token)
    })

    test('a link opened at once by several sets one password', async () => {
      const { email, signIn } = await newPerson('--password', PASSWORD)
      const token = await linkFor(email)
      const passwords = Array.from({ length: 4 }, (_, index) => `new password ${index}`)
      const outcomes = await Promise.all(passwords.map(async (password) => outcomeOf(await open({ token, password }))))
      expect(outcomes.toSorted()).toEqual(['200', ...Array(3).fill('410 link_expired')])
      expect(outcomeOf((await signIn(passwords[outcomes.indexOf('200')] ?? '')).answer)).toBe('200')
    })

    test('a link for an account without a password signs in at once', async () => {
      const { email } = await newPerson()
      const client = consoleClient(gateway.url)
      expect((await open({ token: await linkFor(email) }, client)).body).toEqual({ signed_in: true } as never)
      expect((await client.get<Session>('session')).body.may_set_password).toBe(true)
    })

    test('a link does not replace the second factor; `account remove-second-factor` does, and ends all sessions', async () => {
      const { email, signIn } = await newPerson('--password', PASSWORD)
      const { client } = await signIn(PASSWORD)
      const { code, recovery } = await turnOn(client)
      const browser = consoleClient(gateway.url)
      const opened = await open({ token: await linkFor(email), password: NEW_PASSWORD }, browser)
      expect(opened.body).toEqual({ signed_in: false, second_factor_required: true } as never)
      expect(browser.token()).toBeUndefined()
      expect(outcomeOf((await signIn(NEW_PASSWORD, 'wrong')).answer)).toBe('401 wrong_code')
      const { client: signedIn } = await signIn(NEW_PASSWORD, code)
      expect(outcomeOf(await signedIn.get('session'))).toBe('200')

      const remove = () => gateway.command('account', 'remove-second-factor', '--account', email)
      expect(await remove()).toEqual({ email, second_factor: false, sessions_ended: 1 })
      expect(outcomeOf(await signedIn.get('session'))).toBe('401 not_signed_in')
      const again = await signIn(NEW_PASSWORD)
      expect(again.answer.body).toEqual({ signed_in: true } as never)
      expect((await again.client.get('session')).body.second_factor).toBe(false)
      await turnOnAgain(again.client)
      expect(outcomeOf((await signIn(NEW_PASSWORD, recovery)).answer)).toBe('401 wrong_code')
    })
    const turnOnAgain = async (client: ConsoleClient) => {
      const { secret } = (await client.post<{ secret: string }>('second-factor/begin')).body
      const code = codeAt(decodeBase32(secret) ?? new Uint8Array(), Math.floor(Date.now() / 30_000))
      expect(outcomeOf(await client.post('second-factor/confirm', { secret, code, password: NEW_PASSWORD }))).toBe(
        '200',
      )
    }

    test('a disabled person gets no link, and a link that they have does not work', async () => {
      const { email } = await newPerson('--password', PASSWORD)
      const token = await linkFor(email)
      await gateway.command('person', 'disable', '--email', email)
      expect(outcomeOf(await open({ token, password: NEW_PASSWORD }))).toBe('410 link_expired')
      await expect(linkFor(email)).rejects.toThrow(`The person ${email} is disabled. Enable them first.`)
    })
  })

  test('a second start prints none', async () => {
    const { home } = gateway
    await gateway.kill()
    gateway = await startGateway({ home })
    expect(gateway.output().stdout).toContain(`"console":"${gateway.url}/console"`)
    expect(gateway.output().stdout).not.toContain('/console/setup')
  })
})

test('two browsers that open the link at once: one is signed in', async () => {
  const gateway = await startGateway()
  const [, , token = ''] = linkIn(gateway.output().stdout) ?? []
  const clients = Array.from({ length: 6 }, () => consoleClient(gateway.url))
  const outcomes = await Promise.all(clients.map((client) => client.post('setup', { token }).then(outcomeOf)))
  expect(outcomes.sort()).toEqual(['200', ...Array(5).fill('410 link_expired')])
  const signedIn = await Promise.all(clients.map(async (client) => (await client.get('session')).status))
  expect(signedIn.filter((status) => status === 200)).toHaveLength(1)
  await gateway.stop()
})
