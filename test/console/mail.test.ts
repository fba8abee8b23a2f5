// Verification and reset by email, through a real SMTP server.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  type ReceivedMail,
  SMTP_CERTIFICATE,
  startSmtp,
  type TestSmtp,
} from '../../packages/gateway/test-support/smtp-server.ts'
import { adminClient } from '../support/admin/admin-client.ts'
import { eventually } from '../support/eventually.ts'
import { consoleClient, outcomeOf, PASSWORD } from '../support/gateway/console.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { operate } from '../support/gateway/operate.ts'

const LOGIN = { user: 'gw@example.com', password: 'smtp-hunter2' }
const config = (port: number) => `
server: { trusted_proxies: [127.0.0.1], public_url: "http://gw.example.com/base" }
registration: { trial_budget_per_day: 1000 }
mail: { url: "smtp://gw%40example.com:smtp-hunter2@localhost:${port}", from: Example <gw@example.com>, ca: ${SMTP_CERTIFICATE} }
console: { name: Example AI }
`
const URLS = /^http:\/\/gw\.example\.com\/base\/console\/(verify|reset)#([\w-]{43})$/m
const linkIn = ({ text }: ReceivedMail): string[] => URLS.exec(text)?.slice(1) ?? []

let smtp: TestSmtp
let gateway: Gateway
beforeAll(async () => {
  smtp = await startSmtp({ mode: 'starttls', login: LOGIN })
  gateway = await startGateway({ config: config(smtp.port) })
})
afterAll(async () => {
  await gateway.stop()
  await smtp.stop()
})

let networks = 0
const browser = (language = 'en') =>
  consoleClient(gateway.url, {
    'x-forwarded-for': `203.0.113.${++networks}`,
    'accept-language': language,
    origin: 'http://gw.example.com',
  })
async function newPerson(email: string, language = 'en') {
  const client = browser(language)
  expect(outcomeOf(await client.post('register', { email, password: PASSWORD }))).toBe('201')
  return { client, mail: await smtp.next() }
}
const isVerified = async (client: ReturnType<typeof browser>) =>
  (await client.get<{ account: { email_verified: boolean } }>('session')).body.account.email_verified

describe('verification', () => {
  test('a link follows the registration, and works once', async () => {
    expect((await browser().get('about')).body.mail).toBe(true)
    const { client, mail } = await newPerson('ada@example.com')
    expect(mail).toMatchObject({ encrypted: true, user: LOGIN.user, from: 'gw@example.com', to: ['ada@example.com'] })
    expect(mail.headers).toContain('Subject: Verify your email address for Example AI')
    const [purpose, token] = linkIn(mail)
    expect(purpose).toBe('verify')
    expect(await isVerified(client)).toBe(false)
    expect(outcomeOf(await client.post('email/verify', { token }))).toBe('204')
    expect(await isVerified(client)).toBe(true)
    expect(outcomeOf(await browser().post('email/verify', { token }))).toBe('410 link_expired')
    // Nothing is left to verify.
    const before = smtp.mails.length
    expect(outcomeOf(await client.post('email/resend'))).toBe('202')
    await Bun.sleep(100)
    expect(smtp.mails).toHaveLength(before)
  })

  test('it can be sent again, which replaces the former link; in the language of the account', async () => {
    const { client, mail } = await newPerson('chen@example.com', 'zh-CN,zh;q=0.9')
    expect(mail.text).toContain('请打开以下链接验证邮箱')
    await client.post('preferences', { language: 'en' })
    expect(outcomeOf(await client.post('email/resend'))).toBe('202')
    const again = await smtp.next()
    expect(again.text).toContain('Open this link to verify the address')
    expect(outcomeOf(await client.post('email/verify', { token: linkIn(mail)[1] }))).toBe('410 link_expired')
    expect(outcomeOf(await client.post('email/verify', { token: linkIn(again)[1] }))).toBe('204')
  })

  test('a link for one purpose is worth nothing for another', async () => {
    const { mail } = await newPerson('eve@example.com')
    const [, token] = linkIn(mail)
    const reset = await browser().post('password/reset', { token, password: 'another password' })
    expect(outcomeOf(reset)).toBe('410 link_expired')
    expect(outcomeOf(await browser().post('setup', { token }))).toBe('410 link_expired')
    expect(outcomeOf(await browser().post('email/verify', { token }))).toBe('204')
  })
})

describe('invitations', () => {
  const INVITED = /^http:\/\/gw\.example\.com\/base\/console\/invitation#[\w-]{43}$/m
  type Made = { url: string; mailed: boolean }

  test('are sent to the address that they name, in the language of the person who invites', async () => {
    const { client, mail } = await newPerson('inviter@example.com')
    const invite = async (body: object) => (await client.post<Made>('invitations', body)).body
    // Whoever has not proved an address makes the gateway write to nobody.
    expect((await invite({ email: 'friend@example.com' })).mailed).toBe(false)
    await client.post('email/verify', { token: linkIn(mail)[1] })
    expect((await invite({})).mailed).toBe(false)
    await client.post('preferences', { language: 'zh' })
    const made = await invite({ email: 'friend@example.com' })
    expect(made.mailed).toBe(true)
    const sent = await smtp.next()
    expect([sent.to, INVITED.exec(sent.text)?.[0]]).toEqual([['friend@example.com'], made.url])
    expect(sent.text).toContain('加入账户“inviter@example.com”')

    const { secret } = await operate<{ secret: string }>(gateway, 'admin-key create', { name: 'k', role: 'owner' })
    const body = { role: 'support', email: 'colleague@example.com' }
    const byOperator = await adminClient(gateway.url, secret)<Made>('POST', 'invitations', { body })
    expect(byOperator.body.mailed).toBe(true)
    expect((await smtp.next()).text).toContain(
      'colleague@example.com was invited to Example AI, with the role support.',
    )
  })

  test('are sent to one address five times an hour, and twenty times a day by one account', async () => {
    const { client, mail } = await newPerson('eager@example.com')
    await client.post('email/verify', { token: linkIn(mail)[1] })
    const mailed = async (email: string) => (await client.post<Made>('invitations', { email })).body.mailed
    const same: boolean[] = []
    for (let count = 0; count < 6; count++) same.push(await mailed('same@example.com'))
    expect(same).toEqual([true, true, true, true, true, false])
    const others: boolean[] = []
    for (let count = 0; count < 15; count++) others.push(await mailed(`friend${count}@example.com`))
    expect(others).toEqual([...Array<boolean>(14).fill(true), false])
    for (let count = 0; count < 19; count++) await smtp.next()
  })
})

describe('a forgotten password', () => {
  test('the link sets a new one, once, and ends every session', async () => {
    const { client } = await newPerson('bob@example.com')
    const forgot = await browser().post('password/forgot', { email: 'BOB@example.com' })
    expect([forgot.status, forgot.text]).toEqual([202, ''])
    const mail = await smtp.next()
    expect(mail.to).toEqual(['bob@example.com'])
    const [purpose, token] = linkIn(mail)
    expect(purpose).toBe('reset')
    const visitor = browser()
    const reset = (password: string) => visitor.post('password/reset', { token, password }).then(outcomeOf)
    expect(await reset('short')).toBe('400 bad_request')
    expect(await reset('another password')).toBe('204')
    expect(visitor.token()).toBeUndefined()
    expect(await reset('a third password')).toBe('410 link_expired')
    expect(outcomeOf(await client.get('session'))).toBe('401 not_signed_in')
    const signIn = (password: string) =>
      browser().post('sign-in', { email: 'bob@example.com', password }).then(outcomeOf)
    expect(await signIn(PASSWORD)).toBe('401 wrong_credentials')
    expect(await signIn('another password')).toBe('200')
    await client.post('sign-in', { email: 'bob@example.com', password: 'another password' })
    expect(await isVerified(client)).toBe(true)
  })

  test('it opens an account that too many guesses have locked', async () => {
    const { client } = await newPerson('locked@example.com')
    await client.post('sign-out')
    // In one network: guesses from elsewhere lock no person out.
    const guessing = browser()
    const signIn = (password: string) =>
      guessing.post('sign-in', { email: 'locked@example.com', password }).then(outcomeOf)
    for (let index = 0; index < 11; index++) await signIn('wrong password')
    expect(await signIn(PASSWORD)).toBe('429 too_many_tries')
    await guessing.post('password/forgot', { email: 'locked@example.com' })
    const [, token] = linkIn(await smtp.next())
    await guessing.post('password/reset', { token, password: 'another password' })
    expect(await signIn('another password')).toBe('200')
  })

  test('an unknown address and a disabled person get the same answer, and no email', async () => {
    await newPerson('gone@example.com')
    await gateway.command('person', 'disable', '--email', 'gone@example.com')
    const before = smtp.mails.length
    for (const email of ['nobody@example.com', 'gone@example.com']) {
      const { status, text } = await browser().post('password/forgot', { email })
      expect([status, text]).toEqual([202, ''])
    }
    // The next email is another one.
    const { mail } = await newPerson('next@example.com')
    expect(mail.to).toEqual(['next@example.com'])
    expect(smtp.mails).toHaveLength(before + 1)
  })

  test('a mailbox gets five emails an hour; a network may cause twenty', async () => {
    const { client } = await newPerson('flooded@example.com')
    for (let index = 0; index < 8; index++) {
      expect(outcomeOf(await browser().post('password/forgot', { email: 'flooded@example.com' }))).toBe('202')
    }
    const mailsTo = () => smtp.mails.filter(({ to }) => to[0] === 'flooded@example.com').length
    await eventually(() => mailsTo() === 5)
    const outcomes: string[] = []
    for (let index = 0; index < 21; index++) outcomes.push(outcomeOf(await client.post('email/resend')))
    expect(outcomes.filter((outcome) => outcome === '202')).toHaveLength(20)
    expect(outcomes.at(-1)).toBe('429 too_many_tries')
    expect(mailsTo()).toBe(5)
  })
})

test('no token and no password is in the log', async () => {
  const { stdout, stderr } = gateway.output()
  for (const mail of smtp.mails) expect(stdout + stderr).not.toContain(linkIn(mail)[1] ?? '?')
  expect(stdout + stderr).not.toContain(LOGIN.password)
  expect(stdout + stderr).not.toContain(PASSWORD)
})

test('an email that waits for its next attempt is sent before the gateway stops', async () => {
  const replies = [451, 451]
  const busy = await startSmtp({ mode: 'starttls', replies })
  const stopping = await startGateway({ config: config(busy.port).replace('gw%40example.com:smtp-hunter2@', '') })
  const client = consoleClient(stopping.url, { origin: 'http://gw.example.com' })
  await client.post('register', { email: 'x@example.com', password: PASSWORD })
  await eventually(() => replies.length === 1)
  stopping.signal('SIGINT')
  expect((await busy.next()).to).toEqual(['x@example.com'])
  expect(await stopping.exited).toBe(0)
  await busy.stop()
})

test('a server that is away: the registration succeeds, and the log says what failed', async () => {
  const { port } = await startSmtp({ mode: 'starttls' }).then(async (each) => {
    await each.stop()
    return each
  })
  const lonely = await startGateway({ config: config(port) })
  const client = consoleClient(lonely.url, { origin: 'http://gw.example.com' })
  expect(outcomeOf(await client.post('register', { email: 'x@example.com', password: PASSWORD }))).toBe('201')
  expect(outcomeOf(await client.get('session'))).toBe('200')
  expect(lonely.output().stderr).not.toContain(LOGIN.password)
  await lonely.stop()
})

test('without `mail`, what needs email says so', async () => {
  const plain = await startGateway()
  const client = consoleClient(plain.url)
  await client.post('register', { email: 'x@example.com', password: PASSWORD })
  expect((await client.get('about')).body.mail).toBe(false)
  expect(outcomeOf(await client.post('password/forgot', { email: 'x@example.com' }))).toBe('404 mail_not_configured')
  expect(outcomeOf(await client.post('email/resend'))).toBe('404 mail_not_configured')
  await plain.stop()
})
