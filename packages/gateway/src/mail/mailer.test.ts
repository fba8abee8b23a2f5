// Emails through a real SMTP server: encrypted, or not sent.
import { afterEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { eventually } from '../../../../test/support/eventually.ts'
import { SMTP_CERTIFICATE, type SmtpOptions, startSmtp, type TestSmtp } from '../../test-support/smtp-server.ts'
import type { MailConfig } from '../config/types.ts'
import type { Fields } from '../observe/log.ts'
import { LETTERS } from './letters.ts'
import { createMailer } from './mailer.ts'

const CA = readFileSync(SMTP_CERTIFICATE, 'utf8')
const LETTER = { to: 'ada@example.com', subject: 'Hello', text: 'Hello, Ada.\n' }

let smtp: TestSmtp | undefined
afterEach(() => smtp?.stop())

async function open(
  options: SmtpOptions,
  url: (port: number) => string,
  ca: string | undefined = CA,
  retryAfterMs: readonly number[] = [5, 5],
) {
  smtp = await startSmtp(options)
  const mail: MailConfig = { url: url(smtp.port), from: 'Gateway <gw@example.com>', ...(ca ? { ca } : {}) }
  const logged: (Fields & { message: string })[] = []
  const note = (message: string, fields: Fields = {}) => void logged.push({ message, ...fields })
  return { smtp, logged, mailer: createMailer(() => ({ mail }), { error: note, warn: note }, retryAfterMs) }
}

const errorOf = (sending: Promise<void>): Promise<string> =>
  sending.then(
    () => 'sent',
    (error: Error) => error.message,
  )

test.each<[SmtpOptions['mode'], string, string, boolean]>([
  ['smtps', 'smtps:', '', true],
  ['starttls', 'smtp:', '', true],
  ['starttls', 'smtp:', '?tls=off', false],
  ['plain', 'smtp:', '?tls=off', false],
])('a server with %s, called by %s//...%s', async (mode, scheme, search, encrypted) => {
  const { smtp, mailer } = await open({ mode }, (port) => `${scheme}//localhost:${port}${search}`)
  await mailer.send(LETTER)
  expect(await smtp.next()).toMatchObject({
    encrypted,
    from: 'gw@example.com',
    to: ['ada@example.com'],
    text: LETTER.text,
    headers: expect.stringContaining('From: Gateway <gw@example.com>'),
  })
})

test.each<[string, SmtpOptions['mode'], string, string | undefined, RegExp]>([
  ['a server that does not encrypt', 'plain', 'smtp:', CA, /STARTTLS/i],
  ['a certificate of an unknown authority', 'smtps', 'smtps:', '', /self.signed/],
  ['the same after STARTTLS', 'starttls', 'smtp:', '', /self.signed/],
])('nothing is sent to %s', async (_, mode, scheme, ca, expected) => {
  const { smtp, mailer } = await open({ mode }, (port) => `${scheme}//localhost:${port}`, ca)
  expect(await errorOf(mailer.send(LETTER))).toMatch(expected)
  expect(smtp.mails).toEqual([])
})

const LOGIN = { user: 'gw@example.com', password: 'p@ss/w:rd%' }
const encoded = `${encodeURIComponent(LOGIN.user)}:${encodeURIComponent(LOGIN.password)}`

test('user and password are percent-encoded in the URL', async () => {
  const { smtp, mailer } = await open(
    { mode: 'starttls', login: LOGIN },
    (port) => `smtp://${encoded}@localhost:${port}`,
  )
  await mailer.send(LETTER)
  expect((await smtp.next()).user).toBe(LOGIN.user)
})

test('a rejected login is logged, without the password or the token of a link', async () => {
  const { smtp, logged, mailer } = await open(
    { mode: 'starttls', login: { ...LOGIN, password: 'other' } },
    (port) => `smtp://${encoded}@localhost:${port}`,
  )
  mailer.inBackground(() => mailer.send({ ...LETTER, text: `https://gw/console/reset#${'t'.repeat(43)}` }))
  while (logged.length === 0) await Bun.sleep(5)
  expect(logged).toEqual([expect.objectContaining({ message: 'mail: an email could not be sent', code: 'EAUTH' })])
  expect(JSON.stringify(logged)).not.toMatch(/p@ss|ttttt/)
  expect(smtp.mails).toEqual([])
})

test.each<[string, number[], string]>([
  ['a server that is busy at first', [451, 421], 'sent'],
  ['a server that stays busy', [451, 451, 451], 'not now'],
  ['a recipient that does not exist', [550], 'not now'],
])('%s', async (_, replies, outcome) => {
  const { smtp, mailer } = await open({ mode: 'smtps', replies }, (port) => `smtps://localhost:${port}`)
  expect(await errorOf(mailer.send(LETTER))).toContain(outcome)
  expect(replies).toEqual([])
  expect(smtp.mails).toHaveLength(outcome === 'sent' ? 1 : 0)
})

const HOUR_MS = 3_600_000
const smtps = (port: number) => `smtps://localhost:${port}`

describe('when the process stops', () => {
  test('an email that waits for its next attempt is sent at once', async () => {
    const replies = [451, 451]
    const { smtp, logged, mailer } = await open({ mode: 'smtps', replies }, smtps, CA, [5, HOUR_MS])
    mailer.inBackground(() => mailer.send(LETTER))
    await eventually(() => replies.length === 0)
    expect(mailer.pending).toBe(1)
    mailer.hurry()
    expect((await smtp.next()).to).toEqual([LETTER.to])
    await eventually(() => mailer.pending === 0)
    expect(logged).toEqual([])
  })

  test('failures after that are repeated after the shortest pause, and not forever', async () => {
    const replies = [451, 451, 451, 451]
    const { logged, mailer } = await open({ mode: 'smtps', replies }, smtps, CA, [5, HOUR_MS])
    mailer.hurry()
    mailer.inBackground(() => mailer.send(LETTER))
    await eventually(() => mailer.pending === 0)
    expect(replies).toEqual([451])
    expect(logged).toEqual([expect.objectContaining({ message: 'mail: an email could not be sent' })])
  })

  test('what is not sent in time is counted in one line of the log', async () => {
    const { smtp, logged, mailer } = await open({ mode: 'smtps' }, smtps)
    const failed = Promise.withResolvers<void>()
    for (let index = 0; index < 5; index++) mailer.inBackground(() => failed.promise)
    mailer.abandon()
    expect(mailer.pending).toBe(0)
    const line = { message: 'mail: the gateway stops before all emails were sent', not_sent: 5 }
    expect(logged).toEqual([line])
    // Nothing more is logged about those that fail now.
    failed.reject(new Error('the store is closed'))
    await Bun.sleep(0)
    expect([logged, smtp.mails, mailer.pending]).toEqual([[line], [], 0])
    mailer.inBackground(() => mailer.send(LETTER))
    expect([logged[1], smtp.mails, mailer.pending]).toEqual([{ ...line, not_sent: 1 }, [], 0])
  })
})

test('no field can add a header or a recipient', async () => {
  const { smtp, mailer } = await open({ mode: 'smtps' }, (port) => `smtps://localhost:${port}`)
  const subject = 'Hello\r\nBcc: eve@example.com'
  await mailer.send({ ...LETTER, subject, to: 'ada@example.com, eve@example.com' }).catch(() => {})
  await mailer.send({ ...LETTER, subject, text: '.\r\nRCPT TO:<eve@example.com>\r\n' })
  for (const mail of smtp.mails) {
    expect(mail.to).not.toContain('eve@example.com')
    expect(mail.headers).not.toMatch(/^bcc:/im)
  }
  expect(smtp.mails.at(-1)?.to).toEqual(['ada@example.com'])
})

test('a reload takes effect with the next email', async () => {
  const [one, other] = [await startSmtp({ mode: 'smtps' }), await startSmtp({ mode: 'smtps' })]
  let port = one.port
  const configs = new Map([one, other].map((each) => [each.port, configOf(each.port)]))
  const mailer = createMailer(() => ({ mail: configs.get(port) ?? configOf(0) }), { error() {}, warn() {} })
  await mailer.send(LETTER)
  port = other.port
  await mailer.send(LETTER)
  expect([one.mails.length, other.mails.length]).toEqual([1, 1])
  await Promise.all([one.stop(), other.stop()])
})

const configOf = (port: number): MailConfig => ({ url: `smtps://localhost:${port}`, from: 'gw@example.com', ca: CA })

test.each(['en', 'zh'] as const)('the letters in %s arrive as written, links unbroken', async (language) => {
  const { smtp, mailer } = await open({ mode: 'smtps' }, (port) => `smtps://localhost:${port}`)
  for (const letter of Object.values(LETTERS[language])) {
    const url = `https://gateway.example.com/some/long/path/console/reset#${'x'.repeat(43)}`
    const written = letter({ name: 'Trivium', email: 'ada@example.com', url, account: 'Acme', role: 'viewer' })
    await mailer.send({ to: 'ada@example.com', ...written })
    expect((await smtp.next()).text).toBe(written.text)
    expect(written.text).toContain(`\n${url}\n`)
    if (language === 'zh') expect(written.text).not.toContain('viewer')
  }
})
