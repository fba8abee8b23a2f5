// For tests: a real SMTP server on a free port, with a certificate of its own.
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'

const FIXTURES = join(import.meta.dir, '../fixtures')
/** Signed by itself, for `localhost`: only clients that are told so trust it. */
export const SMTP_CERTIFICATE = join(FIXTURES, 'localhost.cert.pem')

export type ReceivedMail = {
  /** Whether the connection that brought it was encrypted. */
  encrypted: boolean
  user: string | undefined
  from: string
  to: string[]
  headers: string
  text: string
}

export type TestSmtp = {
  port: number
  mails: ReceivedMail[]
  /** The next mail, in the order of arrival. */
  next(): Promise<ReceivedMail>
  stop(): Promise<void>
}

export type SmtpOptions = {
  /** `smtps`: TLS from the first byte. `starttls`: offered. `plain`: not offered. */
  mode: 'smtps' | 'starttls' | 'plain'
  login?: { user: string; password: string }
  /** The reply to each mail in turn; then they are accepted. */
  replies?: number[]
}

export async function startSmtp({ mode, login, replies = [] }: SmtpOptions): Promise<TestSmtp> {
  const mails: ReceivedMail[] = []
  let waiting: (() => void)[] = []
  let taken = 0
  const server = new SMTPServer({
    secure: mode === 'smtps',
    cert: readFileSync(SMTP_CERTIFICATE, 'utf8'),
    key: readFileSync(join(FIXTURES, 'localhost.key.pem'), 'utf8'),
    disabledCommands: mode === 'plain' ? ['STARTTLS'] : [],
    authOptional: login === undefined,
    onAuth({ username, password }, _, done) {
      if (username === login?.user && password === login?.password) return done(null, { user: username ?? '' })
      return done(new Error('authentication failed'))
    },
    onData(stream, session, done) {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', () => {
        const reply = replies.shift()
        if (reply !== undefined) return done(Object.assign(new Error('not now'), { responseCode: reply }))
        const { mailFrom, rcptTo } = session.envelope
        mails.push({
          encrypted: session.secure,
          user: session.user,
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          ...parse(Buffer.concat(pieces).toString('latin1')),
        })
        for (const wake of waiting) wake()
        waiting = []
        return done()
      })
    },
  })
  // A client that does not trust the certificate closes the connection.
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    async next() {
      const index = taken++
      while (mails[index] === undefined) await new Promise<void>((resolve) => waiting.push(resolve))
      return mails[index]
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

function parse(raw: string): { headers: string; text: string } {
  const end = raw.indexOf('\r\n\r\n')
  const [headers, body] = [raw.slice(0, end), raw.slice(end + 4)]
  const encoding = /content-transfer-encoding: (\S+)/i.exec(headers)?.[1]?.toLowerCase()
  const bytes =
    encoding === 'base64'
      ? Buffer.from(body, 'base64')
      : Buffer.from(encoding === 'quoted-printable' ? unquoted(body) : body, 'latin1')
  return { headers, text: bytes.toString('utf8').replaceAll('\r\n', '\n') }
}

const unquoted = (body: string): string =>
  body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
