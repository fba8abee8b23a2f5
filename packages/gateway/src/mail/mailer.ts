// Sends email through the operator's SMTP server. The library is loaded with the first one.
import type { Transporter } from 'nodemailer'
import type { MailConfig } from '../config/types.ts'
import type { Log } from '../observe/log.ts'
import { createConcurrencyLimit } from '../sharing/concurrency-limit.ts'

export type Letter = { subject: string; text: string }

export type Mailer = {
  /** Rejects if the server cannot be reached, or does not take the email. */
  send(letter: Letter & { to: string }): Promise<void>
  /** Runs `work` after the response. Few run at once; if too many wait, one more is dropped. Errors are logged. */
  inBackground(work: () => Promise<void>): void
  /** How many run or wait in the background. */
  readonly pending: number
  /** The process stops soon: failed attempts are repeated at once, then after the shortest pause. */
  hurry(): void
  /** The process stops now: logs how many emails are not sent, and gives them up. */
  abandon(): void
}

const CONNECT_WITHIN_MS = 10_000
const IDLE_MS = 20_000
const AT_ONCE = 4
const MOST_WAITING = 200
/** An SMTP server may be busy for a moment, and greylisting rejects the first attempt of an unknown sender. */
const RETRY_AFTER_MS = [2_000, 30_000]

/** The field of a message that is called once the server is asked to take it. */
const ON_BEGIN = 'onBegin'
/** Errors after which the server may have the email all the same. */
const uncertain = new WeakSet<object>()
/** The connection broke after the email was begun, and before the server said whether it takes it. */
export const mayHaveArrived = (error: unknown): boolean => uncertain.has(Object(error))

export function createMailer(
  config: () => { mail?: MailConfig },
  log: Pick<Log, 'error' | 'warn'>,
  retryAfterMs: readonly number[] = RETRY_AFTER_MS,
): Mailer {
  const limit = createConcurrencyLimit(AT_ONCE, MOST_WAITING)
  const hurried = Promise.withResolvers<void>()
  let isHurried = false
  let isAbandoned = false
  let pending = 0
  let opened: { config: MailConfig; transport: Promise<Transporter> } | undefined

  /** A reload may have changed the server. */
  function transportOf(config: MailConfig): Promise<Transporter> {
    if (opened?.config !== config) opened = { config, transport: open(config) }
    return opened.transport
  }

  async function pause(ms: number): Promise<void> {
    if (isHurried) return Bun.sleep(Math.min(ms, ...retryAfterMs))
    const timer = Promise.withResolvers<void>()
    const timeout = setTimeout(timer.resolve, ms)
    await Promise.race([timer.promise, hurried.promise])
    clearTimeout(timeout)
  }

  return {
    get pending() {
      return pending
    },
    hurry() {
      isHurried = true
      hurried.resolve()
    },
    abandon() {
      isAbandoned = true
      if (pending > 0) log.error('mail: the gateway stops before all emails were sent', { not_sent: pending })
      pending = 0
    },
    async send({ to, subject, text }) {
      for (let attempt = 0; ; attempt++) {
        const { mail } = config()
        if (mail === undefined) return
        let isUnderWay = false
        try {
          // As objects, which are not parsed: an address cannot become a list.
          const message = { from: mail.from, to: { name: '', address: to }, subject, text }
          const begins = {
            [ON_BEGIN]() {
              isUnderWay = true
            },
          }
          const options = { disableFileAccess: true, disableUrlAccess: true }
          await (await transportOf(mail)).sendMail({ ...message, ...options, ...begins })
          return
        } catch (error) {
          if (isUnderWay && !hasReply(error)) uncertain.add(Object(error))
          const waitMs = retryAfterMs[attempt]
          if (waitMs === undefined || isFinal(error)) throw error
          await pause(waitMs)
        }
      }
    },
    inBackground(work) {
      pending += 1
      if (isAbandoned) return this.abandon()
      const run = limit.run(async () => {
        await work()
        return true
      })
      run
        .then(
          (isDone) => {
            if (isDone === undefined) log.warn('mail: too many emails are waiting; one was not sent')
          },
          (error: unknown) => {
            if (!isAbandoned) log.error('mail: an email could not be sent', describeMailError(error))
          },
        )
        .finally(() => {
          if (!isAbandoned) pending -= 1
        })
    },
  }
}

async function open({ url, ca }: MailConfig): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const { protocol, hostname, port, username, password, searchParams } = new URL(url)
  const isSmtps = protocol === 'smtps:'
  const transport = createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSmtps ? 465 : 587) : Number(port),
    secure: isSmtps,
    // Links in emails sign in: they are never sent in the clear, unless the operator says so.
    ...(searchParams.get('tls') === 'off' ? { ignoreTLS: true } : { requireTLS: true }),
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    ...(ca === undefined ? {} : { tls: { ca } }),
    connectionTimeout: CONNECT_WITHIN_MS,
    greetingTimeout: CONNECT_WITHIN_MS,
    socketTimeout: IDLE_MS,
  })
  // The library makes the bytes of an email when it is about to send them.
  transport.use('stream', ({ message, data }, done) => {
    message.processFunc((bytes) => {
      const begin: unknown = Reflect.get(data, ON_BEGIN)
      if (typeof begin === 'function') begin()
      return bytes
    })
    done()
  })
  return transport
}

/** Connects and signs in, without sending anything. */
export async function checkMail(mail: MailConfig): Promise<void> {
  await (await open(mail)).verify()
}

const TEST_WITHIN_MS = 20_000

/** One attempt. `answer`: what the server said, or what went wrong. */
export async function sendOnce(mail: MailConfig, { to, subject, text }: Letter & { to: string }) {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${TEST_WITHIN_MS / 1_000} s`)), TEST_WITHIN_MS)
  const transport = await open(mail)
  try {
    const message = { from: mail.from, to: { name: '', address: to }, subject, text }
    const sending = transport.sendMail({ ...message, disableFileAccess: true, disableUrlAccess: true })
    const { response } = await Promise.race([sending, late.promise])
    return { ok: true, answer: String(response).slice(0, 300) }
  } catch (error) {
    return { ok: false, answer: describeMailError(error).error }
  } finally {
    clearTimeout(timer)
    transport.close()
  }
}

const replyOf = (error: unknown): number => Number(Reflect.get(Object(error), 'responseCode') ?? 0)
const hasReply = (error: unknown): boolean => replyOf(error) > 0
/** Replies 5xx do not change by a retry. */
export const isFinal = (error: unknown): boolean => replyOf(error) >= 500

/** Without anything that could be the token of a link: servers may repeat what was sent. */
export function describeMailError(error: unknown) {
  const code: unknown = Reflect.get(Object(error), 'code')
  const message = error instanceof Error ? error.message : String(error)
  const hint = /STARTTLS/i.test(message)
    ? ' (a server without encryption, such as one on this machine, needs ?tls=off in mail.url)'
    : ''
  return {
    ...(typeof code === 'string' ? { code } : {}),
    error: `${message.replace(/[A-Za-z0-9_-]{40,}/g, '...').slice(0, 300)}${hint}`,
  }
}
