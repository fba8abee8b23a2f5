// Anyone can sign up with any address: what it gets by its name, and what is left of a person who only claimed it.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SMTP_CERTIFICATE, startSmtp, type TestSmtp } from '../../packages/gateway/test-support/smtp-server.ts'
import { eventually } from '../support/eventually.ts'
import { type ConsoleClient, consoleClient, outcomeOf, PASSWORD } from '../support/gateway/console.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'

const GROUPS = `groups:
  - { id: default, models: ["*"] }
  - { id: staff, models: ["*"], multiplier: 0.1, accounts: [ada@example.com, eve@example.com, made@example.com] }`
const HELLO = { model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }

type Made = { secret: string }
const makeKey = (client: ConsoleClient, group?: string) =>
  client.post<Made>('keys', { name: 'mine', ...(group ? { group } : {}) })
const balanceOf = async (gateway: Gateway, email: string) =>
  (await gateway.command<{ balance_usd: string }>('account', 'show', '--account', email)).balance_usd

async function signUp(gateway: Gateway, email: string): Promise<ConsoleClient> {
  const client = consoleClient(gateway.url)
  expect(outcomeOf(await client.post('register', { email, password: PASSWORD }))).toBe('201')
  return client
}

/** The token of a link that an operator makes for an account. */
async function signInLink(gateway: Gateway, email: string): Promise<string> {
  const made = await gateway.command<{ url: string }>('account', 'sign-in-link', '--account', email)
  return made.url.split('#')[1] ?? ''
}

describe('without email', () => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway({ config: GROUPS })
  })
  afterAll(() => gateway.stop())

  test('a group that names an address is not offered to who signed up with it, and is to an account of the operator', async () => {
    const claimed = await signUp(gateway, 'ada@example.com')
    expect(outcomeOf(await makeKey(claimed, 'staff'))).toBe('403 unknown_group')
    await gateway.command('account', 'create', '--email', 'made@example.com', '--password', PASSWORD)
    const made = consoleClient(gateway.url)
    await made.post('sign-in', { email: 'made@example.com', password: PASSWORD })
    expect(outcomeOf(await makeKey(made, 'staff'))).toBe('201')
  })

  test("an operator's link ends what was made before it, and the group is offered from then on", async () => {
    const claimed = await signUp(gateway, 'eve@example.com')
    const planted = (await makeKey(claimed)).body.secret
    const ofOperator = await gateway.command<Made>('key', 'create', '--account', 'eve@example.com', '--name', 'kept')
    expect((await chat(gateway.url, planted, HELLO)).status).toBe(200)

    const owner = consoleClient(gateway.url)
    const token = await signInLink(gateway, 'eve@example.com')
    expect(outcomeOf(await owner.post('setup', { token, password: 'of the owner' }))).toBe('200')
    expect((await chat(gateway.url, planted, HELLO)).status).toBe(401)
    expect((await chat(gateway.url, ofOperator.secret, HELLO)).status).toBe(200)
    expect(outcomeOf(await claimed.get('keys'))).toBe('401 not_signed_in')
    const key = await makeKey(owner, 'staff')
    expect(outcomeOf(key)).toBe('201')

    // A later link ends no keys: the address is proved.
    const again = { token: await signInLink(gateway, 'eve@example.com'), password: 'of the owner, too' }
    expect(outcomeOf(await owner.post('setup', again))).toBe('200')
    expect((await chat(gateway.url, key.body.secret, HELLO)).status).toBe(200)
  })

  test('a class behind one address: everyone gets an account with its credit', async () => {
    for (let index = 0; index < 12; index += 1) await signUp(gateway, `pupil${index}@example.com`)
    const balances = await Promise.all([0, 5, 11].map((index) => balanceOf(gateway, `pupil${index}@example.com`)))
    expect(balances).toEqual(['10.00', '10.00', '10.00'])
  })
})

describe('with email', () => {
  let smtp: TestSmtp
  let gateway: Gateway
  beforeAll(async () => {
    smtp = await startSmtp({ mode: 'starttls' })
    const mail = `mail: { url: "smtp://localhost:${smtp.port}", from: gw@example.com, ca: ${SMTP_CERTIFICATE} }`
    gateway = await startGateway({ config: `${GROUPS}\n${mail}` })
  })
  afterAll(async () => {
    await gateway.stop()
    await smtp.stop()
  })
  const tokenOf = async (): Promise<string> => /#([\w-]{43})$/m.exec((await smtp.next()).text)?.[1] ?? ''

  test('trial credit comes with the proof, and keys stay where the browser is the one that signed up', async () => {
    const client = await signUp(gateway, 'ada@example.com')
    const token = await tokenOf()
    const { secret } = (await makeKey(client)).body
    expect(await balanceOf(gateway, 'ada@example.com')).toBe('0.00')
    expect((await chat(gateway.url, secret, HELLO)).status).toBe(402)
    expect(outcomeOf(await client.post('email/verify', { token }))).toBe('204')
    expect(await balanceOf(gateway, 'ada@example.com')).toBe('10.00')
    // The gateway remembers for a moment that there was no credit.
    await eventually(async () => (await chat(gateway.url, secret, HELLO)).status === 200)
    expect(outcomeOf(await makeKey(client, 'staff'))).toBe('201')
  })

  test.each([
    'verify',
    'reset',
  ] as const)('the owner opens a link to %s: keys, session and second factor of the other person end', async (purpose) => {
    const email = `${purpose}@example.com`
    const claimed = await signUp(gateway, email)
    let token = await tokenOf()
    const planted = (await makeKey(claimed)).body.secret
    await gateway.command('account', 'credit', '--account', email, '--amount', '5')
    expect((await chat(gateway.url, planted, HELLO)).status).toBe(200)
    const owner = consoleClient(gateway.url)
    if (purpose === 'reset') {
      await owner.post('password/forgot', { email })
      token = await tokenOf()
    }
    const path = purpose === 'verify' ? 'email/verify' : 'password/reset'
    const body = purpose === 'verify' ? { token } : { token, password: 'of the owner' }
    expect(outcomeOf(await owner.post(path, body))).toBe('204')
    expect((await chat(gateway.url, planted, HELLO)).status).toBe(401)
    expect(outcomeOf(await claimed.get('keys'))).toBe('401 not_signed_in')
    expect(Number(await balanceOf(gateway, email))).toBeGreaterThan(14)
  })
})
