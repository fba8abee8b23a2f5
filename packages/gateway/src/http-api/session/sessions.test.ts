// A session lasts 30 days since its last use; the use is written down once a minute.
import { expect, test } from 'bun:test'
import { testHeaders, testRequest } from '../../../../http/test-support/serve.ts'
import { hashToken, newToken } from '../../access/secrets/tokens.ts'
import type { SignedIn, Storage } from '../../storage/storage.ts'
import { currentSession, type SessionDependencies } from './sessions.ts'

const NOW = Date.UTC(2026, 4, 1, 12)
const DAY_MS = 86_400_000
const TOKEN = newToken()

const SIGNED_IN = { person: { id: 3n }, account: { id: 7n }, role: 'owner' } as Omit<SignedIn, 'session'>

function visit(cookie: string, seenAt: number | undefined, createdAt = NOW - 30 * DAY_MS) {
  const touched: unknown[] = []
  const asked: string[] = []
  const session = {
    id: 5n,
    person: 3n,
    account: 7n,
    createdAt,
    seenAt: seenAt ?? 0,
    expiresAt: 0,
    userAgent: '',
    address: '',
    provedAt: undefined,
    endsAt: undefined,
  }
  const sessions: Partial<Storage['sessions']> = {
    async find(hash) {
      asked.push(Buffer.from(hash).toString('hex'))
      return seenAt === undefined ? undefined : { session, ...SIGNED_IN }
    },
    touch: async (...values) => void touched.push(values),
  }
  const config = () =>
    ({ server: { tls: undefined, publicUrl: undefined } }) as ReturnType<SessionDependencies['config']>
  const headers = testHeaders()
  const found = currentSession(
    { http: testRequest('/console/api/session', { cookie }), headers },
    { store: { sessions } as Storage, config, clock: () => NOW },
  )
  return found.then((each) => ({ found: each?.session.id, touched, asked, cookies: headers.getAll('set-cookie') }))
}

test.each([
  ['at once', NOW, false],
  ['within a minute', NOW - 59_999, false],
  ['after a minute', NOW - 60_000, true],
  ['after a month', NOW - 29 * DAY_MS, true],
])('used again %s', async (_, seenAt, isExtended) => {
  const { found, touched, asked, cookies } = await visit(`trivium_session=${TOKEN}`, seenAt)
  expect(found).toBe(5n)
  // The store never sees the token itself.
  expect(asked).toEqual([hashToken(TOKEN).toString('hex')])
  expect(touched).toEqual(isExtended ? [[5n, NOW + 30 * DAY_MS]] : [])
  const extended = `trivium_session=${TOKEN}; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax`
  expect(cookies).toEqual(isExtended ? [extended] : [])
})

test.each([
  ['a month before its end', 60, 30],
  ['a day before its end', 89, 1],
  ['a second before its end', 90 - 1 / 86_400, 1 / 86_400],
])('however often it is used, a session ends after 90 days: %s', async (_, days, left) => {
  const { touched, cookies } = await visit(`trivium_session=${TOKEN}`, NOW - DAY_MS, NOW - days * DAY_MS)
  expect(touched).toEqual([[5n, NOW + left * DAY_MS]])
  expect(cookies).toEqual([`trivium_session=${TOKEN}; Max-Age=${left * 86_400}; Path=/; HttpOnly; SameSite=Lax`])
})

test('a session that does not exist any more takes its cookie along', async () => {
  const { found, cookies } = await visit(`trivium_session=${TOKEN}`, undefined)
  expect([found, cookies]).toEqual([undefined, ['trivium_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax']])
})

test('the store is not asked about what cannot be a token', async () => {
  expect(await visit('trivium_session=nonsense', NOW)).toEqual({
    found: undefined,
    touched: [],
    asked: [],
    cookies: [],
  })
})
