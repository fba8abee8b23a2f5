// Every answer of the registration through the dispatcher, on a store of the test's own that counts what it is asked.
import { describe, expect, test } from 'bun:test'
import { compileCidrs } from '@trivium/http/addresses/client-address.ts'
import type { HttpRequest } from '@trivium/http/request.ts'
import { testHeaders, testRequest } from '../../../../http/test-support/serve.ts'
import type { FileConfig } from '../../config/types.ts'
import { NANOS_PER_USD } from '../../money/amount.ts'
import { SANDBOX_TRIAL } from '../../money/book.ts'
import { NO_LIMITS } from '../../money/limits.ts'
import { RequestRecord } from '../../observe/request-record.ts'
import type { Account, Accounts, Person, SignedUp, SignUp, SignUpRejection } from '../../storage/storage.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import { createDispatch } from '../dispatch.ts'
import { createHashingPlaces } from '../session/guessing/hashing-places.ts'
import { createRegister, type RegisterDependencies } from './register.ts'

const NOON = Date.UTC(2026, 4, 1, 12)
const ACCOUNT: Account = {
  id: 7n,
  name: 'ada@example.com',
  balance: 0n,
  held: 0n,
  creditLine: 0n,
  cap: undefined,
  capPeriod: undefined,
  spentUnderCap: 0n,
  disabled: false,
  createdAt: NOON,
  limits: NO_LIMITS,
  spentToday: 0n,
  spentThisMonth: 0n,
  deletedAt: undefined,
}
const PERSON: Person = {
  id: 3n,
  email: 'ada@example.com',
  role: undefined,
  disabled: false,
  createdAt: NOON,
  signedInAt: undefined,
  isProved: false,
}

type Options = {
  open?: boolean
  publicUrl?: string
  trustedProxies?: string[]
  rejection?: SignUpRejection
  lateRejection?: SignUpRejection
  withheld?: SignedUp['withheld']
  budget?: bigint | undefined
  accountsPerNetwork?: number
  mail?: FileConfig['mail']
  now?: number
  hash?: RegisterDependencies['hash']
  hashing?: RegisterDependencies['hashing']
  admit?: ConsoleDependencies['admit']
}

const STALLED = { received: 1, read: () => new Promise<undefined>(() => {}) }

function desk(options: Options = {}) {
  const asked: string[] = []
  const signUps: SignUp[] = []
  const logged: object[] = []
  let hashes = 0
  const config = () => ({
    registration: {
      open: options.open ?? true,
      trialCredit: 10n * NANOS_PER_USD,
      trialBudgetPerDay: 'budget' in options ? options.budget : 100n * NANOS_PER_USD,
      accountsPerNetworkPerDay: options.accountsPerNetwork ?? 10,
      keepSandboxCredit: false,
    },
    server: { publicUrl: options.publicUrl, tls: undefined },
    upstreams: new Map(),
    signIn: { providers: [], password: true, sessionAgeMs: 1, apiTokens: [] },
    ...(options.mail ? { mail: options.mail } : {}),
  })
  const after = (ms: number, run: () => void) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  }
  const clock = () => options.now ?? NOON
  const log = { warn: (message: string, fields?: object) => void logged.push({ message, ...fields }) }
  const accounts: Pick<Accounts, 'signUp' | 'signUpRejection'> = {
    async signUpRejection({ email, network, wideNetwork }) {
      asked.push(`${email} from ${network} in ${wideNetwork}`)
      return options.rejection
    },
    async signUp(signUp) {
      signUps.push(signUp)
      if (options.lateRejection) return options.lateRejection
      return {
        account: ACCOUNT,
        person: { ...PERSON, email: signUp.email },
        trialCredit: options.withheld ? 0n : signUp.trialCredit,
        withheld: options.withheld,
      }
    },
  }
  const register = createRegister({
    accounts,
    audited: () => ({ accounts }),
    config,
    clock,
    hashing: options.hashing ?? createHashingPlaces({ after, clock }),
    log,
    hash: async (password) => {
      hashes += 1
      return options.hash ? await options.hash(password) : `hash of ${password}`
    },
  })
  const dispatch = createDispatch({
    register,
    config,
    after,
    clock,
    log,
    admit: options.admit ?? (() => ({ release: () => {} })),
    catalogue: () => ({ trustedProxies: compileCidrs(options.trustedProxies ?? []).cidrs }),
    listenUrl: () => 'http://gw.example',
    store: { sessions: { create: async () => undefined } },
    mailer: { inBackground: () => {} },
  } as unknown as ConsoleDependencies)
  const call = (http: HttpRequest) => {
    const record = new RequestRecord('POST', '/console/api/register', 'req_1', 0)
    const incoming = { http, id: 1n, query: '', responseHeaders: testHeaders(), record }
    return dispatch(incoming, 'register', () => Promise.reject(new Error('nothing is forwarded')))
  }
  const send = async (body: unknown, headers: Record<string, string> = {}, peer = '192.0.2.1') => {
    const sent = { 'content-type': 'application/json', host: 'gw.example', ...headers }
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const http = testRequest('/console/api/register', sent, text, peer)
    const answer = await call(http)
    return { status: answer.status, headers: answer.headers, body: JSON.parse(String(answer.body)) as Answer }
  }
  /** Begins a body and never ends it. */
  const stall = (peer: string) => {
    const sent = { 'content-type': 'application/json', host: 'gw.example' }
    const http = { ...testRequest('/console/api/register', sent, '{', peer), body: STALLED }
    return call(http)
  }
  return { send, stall, asked, signUps, logged, hashes: () => hashes }
}

type Answer = {
  id?: string
  email?: string
  trial_credit_usd?: string
  notice?: string | null
  error?: { message: string; code: string; param: string | null; type: string }
}

const ADA = { email: ' Ada@example.com ', password: 'correct horse' }

test('an account is created, with the hash of the password and the network of the caller', async () => {
  const { send, asked, signUps } = desk()
  const { status, body } = await send(ADA)
  expect(status).toBe(201)
  expect(body).toEqual({ id: '7', email: 'Ada@example.com', trial_credit_usd: '10.00', notice: null })
  expect(asked).toEqual(['Ada@example.com from 192.0.2.1 in 192.0.2.0/24'])
  expect(signUps).toEqual([
    {
      email: 'Ada@example.com',
      password: 'hash of correct horse',
      network: '192.0.2.1',
      mostPerNetwork: 10,
      wideNetwork: '192.0.2.0/24',
      wideTrials: 3,
      source: SANDBOX_TRIAL,
      onProof: false,
      // At noon a quarter of the day's budget is still to come.
      trialCredit: 10n * NANOS_PER_USD,
      budget: 75n * NANOS_PER_USD,
    },
  ])
})

test('without a budget every account gets its credit, however many sign up', async () => {
  const { send, signUps } = desk({ budget: undefined, accountsPerNetwork: 100 })
  for (let index = 0; index < 40; index += 1) {
    const { status, body } = await send({ ...ADA, email: `a${index}@example.com` })
    expect([status, body.trial_credit_usd]).toEqual([201, '10.00'])
  }
  expect(signUps.at(-1)).toMatchObject({ budget: undefined, mostPerNetwork: 100, wideTrials: 1_000_000 })
})

test('where the gateway sends email, the credit waits for the proof of the address', async () => {
  const { send, signUps } = desk({ mail: MAIL, withheld: 'unproved' })
  const { body } = await send(ADA)
  expect(signUps[0]).toMatchObject({ onProof: true })
  expect(body).toMatchObject({ trial_credit_usd: '0.00', notice: expect.stringContaining('adds 10.00 USD') })
})

const MAIL = { url: new URL('smtp://127.0.0.1'), from: 'gateway@example.com' } as unknown as FileConfig['mail']
const MIDNIGHT = Date.UTC(2026, 4, 2) - 1
test.each([
  ['the budget', { withheld: 'budget', now: MIDNIGHT }, "Today's trial credit is used up", "today's trial budget"],
  ['the pace', { withheld: 'budget' }, 'released so far today is used up', 'the trial credit released so far today'],
  ['the network', { withheld: 'network' }, "Your network's share", 'a network has used its share'],
] as const)('an account without its trial credit says so, and the log once a day: %s', async (_, options, notice, line) => {
  const { send, logged } = desk(options)
  for (const email of ['a@example.com', 'b@example.com']) {
    const { body } = await send({ ...ADA, email })
    expect(body).toMatchObject({ trial_credit_usd: '0.00', notice: expect.stringContaining(notice) })
  }
  expect(logged).toEqual([expect.objectContaining({ message: expect.stringContaining(line), budget_usd: '100.00' })])
})

test('a network that may create no more accounts is logged once a day, by its /24', async () => {
  const { send, logged } = desk({ rejection: 'too_many' })
  for (const peer of ['192.0.2.1', '192.0.2.2', '198.51.100.1']) await send(ADA, {}, peer)
  expect(logged).toEqual([
    expect.objectContaining({ network: '192.0.2.0/24' }),
    expect.objectContaining({ network: '198.51.100.0/24' }),
  ])
})

test('x-forwarded-for is used only from trusted proxies', async () => {
  const forwarded = { 'x-forwarded-for': '2001:db8:1:2:3::9' }
  const trusting = desk({ trustedProxies: ['192.0.2.0/24'] })
  await trusting.send(ADA, forwarded)
  expect(trusting.asked).toEqual(['Ada@example.com from 2001:db8:1:2::/64 in 2001:db8:1::/48'])
  const strict = desk()
  await strict.send(ADA, forwarded)
  expect(strict.asked).toEqual(['Ada@example.com from 192.0.2.1 in 192.0.2.0/24'])
})

describe('rejected before any query', () => {
  const bad: [string, unknown, string | null][] = [
    ['no JSON', 'hello', null],
    ['no object', '[1]', null],
    ['null', 'null', null],
    ['a field that is not known', { ...ADA, admin: true }, 'admin'],
    ['no address', { password: 'correct horse' }, 'email'],
    ['an address that is a list', { ...ADA, email: ['a@b.c'] }, 'email'],
    ['no @', { ...ADA, email: 'ada' }, 'email'],
    ['two @', { ...ADA, email: 'a@b@c.d' }, 'email'],
    ['spaces', { ...ADA, email: 'a b@c.d' }, 'email'],
    ['quotes', { ...ADA, email: '"a"@c.d' }, 'email'],
    ['an address in brackets', { ...ADA, email: 'a@[127.0.0.1]' }, 'email'],
    ['an empty label', { ...ADA, email: 'a@b..c' }, 'email'],
    ['a line break', { ...ADA, email: 'a@b.c\nbcc: x@y.z' }, 'email'],
    ['NUL', { ...ADA, email: 'a\0@b.c' }, 'email'],
    ['half a character', { ...ADA, email: 'a\ud800@b.c' }, 'email'],
    ['invisible characters', { ...ADA, email: 'a\u200b@b.c' }, 'email'],
    ['a long name', { ...ADA, email: `${'a'.repeat(65)}@b.c` }, 'email'],
    ['a long domain', { ...ADA, email: `a@${'b'.repeat(260)}` }, 'email'],
    ['no password', { email: ADA.email }, 'password'],
    ['a short password', { ...ADA, password: 'seven77' }, 'password'],
    ['seven characters that take more', { ...ADA, password: '\u{1f600}'.repeat(7) }, 'password'],
    ['half a character in it', { ...ADA, password: 'a\ud800 long enough' }, 'password'],
    ['a long password', { ...ADA, password: 'a'.repeat(1025) }, 'password'],
  ]
  test.each(bad)('%s', async (_, body, param) => {
    const { send, asked, hashes } = desk()
    const answer = await send(body)
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatchObject({ code: 'bad_request', param, type: 'invalid_request_error' })
    expect([asked, hashes()]).toEqual([[], 0])
  })

  test('a body of another type, or too large', async () => {
    const { send, asked } = desk()
    expect((await send(ADA, { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await send(ADA, { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(415)
    expect((await send({ ...ADA, more: 'x'.repeat(17_000) })).status).toBe(413)
    expect(asked).toEqual([])
  })

  test('a closed registration', async () => {
    const { send, asked } = desk({ open: false })
    const { status, body } = await send(ADA)
    expect([status, body.error?.code, asked]).toEqual([403, 'registration_closed', []])
  })

  test.each<[string, Record<string, string>, number]>([
    ['our own page', { origin: 'http://gw.example' }, 201],
    ['our own page behind TLS', { origin: 'https://gw.example' }, 201],
    ['our public address', { origin: 'https://public.example' }, 201],
    ['another site', { origin: 'https://evil.example' }, 403],
    ['another port', { origin: 'http://gw.example:8080' }, 403],
    ['a page without a name', { origin: 'null' }, 403],
    ['an old browser elsewhere', { 'sec-fetch-site': 'cross-site' }, 403],
    ['no browser', {}, 201],
  ])('a page: %s', async (_, headers, status) => {
    const { send, asked } = desk({ publicUrl: 'https://public.example/gw' })
    expect((await send(ADA, headers)).status).toBe(status)
    expect(asked).toHaveLength(status === 201 ? 1 : 0)
  })
})

describe('rejected by the store, before a password is hashed', () => {
  test('an address that is taken', async () => {
    const { send, hashes } = desk({ rejection: 'taken' })
    const { status, body } = await send(ADA)
    expect([status, body.error?.code, body.error?.param, hashes()]).toEqual([409, 'address_taken', 'email', 0])
  })

  test('too many accounts from one network, until the end of the day', async () => {
    const { send, hashes } = desk({ rejection: 'too_many' })
    const { status, headers, body } = await send(ADA)
    expect([status, body.error?.code, headers.get('retry-after')]).toEqual([429, 'too_many_accounts', '43200'])
    expect(hashes()).toBe(0)
  })

  test('and again at the insert, after a concurrent sign-up', async () => {
    expect((await desk({ lateRejection: 'taken' }).send(ADA)).status).toBe(409)
    expect((await desk({ lateRejection: 'too_many' }).send(ADA)).status).toBe(429)
  })
})

test('a network that tries many addresses is rate-limited; others are not', async () => {
  const { send, asked } = desk({ rejection: 'taken' })
  const statuses: number[] = []
  for (let index = 0; index < 42; index++) statuses.push((await send(ADA)).status)
  expect(statuses).toEqual([...Array(40).fill(409), 429, 429])
  expect(asked).toHaveLength(40)
  expect((await send(ADA, {}, '192.0.2.2')).status).toBe(409)
  const { headers, body } = await send(ADA)
  expect([body.error?.code, headers.get('retry-after')]).toEqual(['too_many_tries', '3600'])
})

test('few passwords are hashed concurrently; requests that would wait too long get 503', async () => {
  let [running, most] = [0, 0]
  const gate = Promise.withResolvers<void>()
  const bounds = { most: 20, mostOfWide: 20, mostOfNetwork: 20 }
  const { send } = desk({
    hashing: createHashingPlaces({ after: () => () => {}, clock: () => NOON, places: 2, bounds }),
    async hash() {
      most = Math.max(most, ++running)
      await gate.promise
      running -= 1
      return 'hash'
    },
  })
  const answers = Array.from({ length: 30 }, (_, index) => send(ADA, {}, `198.51.${index}.1`))
  const rejected = await Promise.race([Promise.all(answers.slice(22)), Bun.sleep(30_000)])
  expect(rejected?.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(
    Array(8).fill([503, '5']),
  )
  gate.resolve()
  const made = await Promise.all(answers.slice(0, 22))
  expect(made.map(({ status }) => status)).toEqual(Array(22).fill(201))
  expect(most).toBe(2)
})

describe('registrations in progress', () => {
  test('take an admission slot each, and release it with every outcome', async () => {
    let slots = 1
    const admit = () => {
      if (slots === 0) return undefined
      slots--
      return { release: () => void slots++ }
    }
    const gate = Promise.withResolvers<string>()
    const { send } = desk({ admit, hash: () => gate.promise })
    const first = send(ADA)
    const { status, headers, body } = await send(ADA)
    expect([status, headers.get('retry-after'), body.error?.code]).toEqual([503, '5', 'service_unavailable'])
    gate.resolve('hash')
    expect([(await first).status, slots]).toEqual([201, 1])
    expect([(await send('no JSON')).status, slots]).toEqual([400, 1])
  })

  test('are not begun while their bodies arrive: endless bodies block no other sign-up, whatever their network', async () => {
    const { send, stall } = desk()
    for (let count = 0; count < 9; count++) void stall('192.0.2.1')
    for (let count = 0; count < 100; count++) void stall(`198.51.100.${count}`)
    expect((await send(ADA, {}, '192.0.2.1')).status).toBe(201)
  })

  test('are limited, in total, per network and per wide network', async () => {
    const { send } = desk({
      hashing: { run: () => new Promise<never>(() => {}) } as unknown as RegisterDependencies['hashing'],
    })
    /** How many of these are rejected; the others never end. */
    const rejected = async (addresses: readonly string[]) => {
      const statuses: number[] = []
      for (const address of addresses) void send(ADA, {}, address).then(({ status }) => statuses.push(status))
      await Bun.sleep(0)
      return statuses
    }
    const from = (count: number, address: (index: number) => string) =>
      Array.from({ length: count }, (_, i) => address(i))
    expect(await rejected(from(9, () => '192.0.2.1'))).toEqual([503])
    expect(await rejected(from(9, (index) => `192.0.2.${index + 2}`))).toEqual([503])
    expect(await rejected(from(18, (index) => `198.51.${index}.1`))).toEqual([503, 503])
  })
})
