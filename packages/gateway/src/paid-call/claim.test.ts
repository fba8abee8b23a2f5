// Keys whose first request did not come to its end in this process: what the ledger knows of it decides.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ResponseHeaders } from '@trivium/http/response.ts'
import { testHeaders, testRequest } from '../../../http/test-support/serve.ts'
import { extend, hold, money, newNode, newWallet, settle, voided, type Wallet } from '../../contract/storage/harness.ts'
import { createTestDependencies, TEST_CALLER } from '../../test-support/dependencies.ts'
import { createAccountCipher } from '../access/secrets/account-cipher.ts'
import type { AppDependencies } from '../handler.ts'
import { RequestRecord } from '../observe/request-record.ts'
import { Failure } from '../request/failure.ts'
import { formatRequestId } from '../request/ids.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import { type Storage, StoreDown } from '../storage/storage.ts'
import { claim as claimKey, confirmClaim, endClaim, type KeyClaim, releaseClaim } from './claim.ts'
import { unavailable } from './hold-errors.ts'

const NODE = { nodeId: 0, epoch: 1 }
const FIRST = 11n

let folder: string
let storage: Storage
let wallet: Wallet
let deps: AppDependencies
let logged: string[]
let now: number
let ids: bigint
beforeEach(async () => {
  now = Date.now()
  ids = FIRST - 1n
  folder = mkdtempSync(join(tmpdir(), 'trivium-keys-'))
  storage = await openSqlite(folder, { clock: () => now })
  wallet = await newWallet(storage)
  expect(await newNode(storage, 0)).toEqual(NODE)
  const made = createTestDependencies({
    send: () => Promise.reject(new Error('nothing is sent')),
    idempotencyMs: 3_600_000,
  })
  deps = { ...made.deps, store: storage }
  logged = made.logged
})
afterEach(async () => {
  deps.ticker.stop()
  await storage.close()
  rmSync(folder, { recursive: true })
})

type ClaimOutcome =
  | { claim: KeyClaim }
  | { status: string; message: string }
  | { replayed: string; headers: ResponseHeaders }

/** Sends the next request with the key, and returns its outcome. */
async function claim(body = 'a body'): Promise<ClaimOutcome> {
  ids += 1n
  const headers = testHeaders()
  const incoming = {
    http: testRequest('/v1/chat/completions'),
    id: ids,
    query: '',
    responseHeaders: headers,
    record: new RequestRecord('POST', '/', '', 0),
  }
  const caller = { ...TEST_CALLER, account: wallet.account, key: wallet.key }
  const { retention } = deps.catalogue().config
  const asking = {
    incoming,
    caller,
    endpoint: 'chat',
    idempotencyKey: 'the-key',
    body: Buffer.from(body),
    warnings: [],
    rateLimited: undefined,
  }
  try {
    const claimed = await claimKey(asking, retention, deps)
    if (claimed && 'status' in claimed)
      return { replayed: Buffer.from(claimed.body as Uint8Array).toString(), headers: claimed.headers }
    if (!claimed) throw new Error('keys are off')
    return { claim: claimed }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const isFinal = headers.get('x-should-retry') === 'false'
    return { status: `${error.info.code}${isFinal ? ', for good' : ''}`, message: error.info.message }
  }
}

async function claimed(): Promise<KeyClaim> {
  const said = await claim()
  if (!('claim' in said)) throw new Error(`not claimed: ${JSON.stringify(said)}`)
  return said.claim
}

/** As if the process that made the claim had died a while ago. */
const die = async () => {
  now += 31_000
  await storage.ledger.apply({ verb: 'leave', ...NODE })
  await storage.ledger.apply({ verb: 'reap', limit: 10 })
}

const RUNNING = { status: 'conflict', message: expect.stringContaining('still running') }
const ENDED = (cost: string) => ({
  status: 'conflict, for good',
  message: expect.stringContaining(`${formatRequestId(FIRST)}, charged ${cost} USD`),
})
const TAKEN_OVER = { claim: { claim: { id: FIRST + 1n } } }

test.each<[string, () => Promise<unknown>, object]>([
  ['not held yet', async () => {}, RUNNING],
  [
    'not held, and too old to be alive',
    async () => {
      now += 31_000
    },
    TAKEN_OVER,
  ],
  ['held', () => storage.ledger.apply(hold(FIRST, wallet, NODE)), RUNNING],
  [
    'held, however long it takes',
    async () => {
      await storage.ledger.apply(hold(FIRST, wallet, NODE))
      now += 3_600_000
    },
    RUNNING,
  ],
  [
    'settled, and its answer lost',
    async () => {
      await storage.ledger.apply(hold(FIRST, wallet, NODE))
      await storage.ledger.apply(settle(FIRST, NODE, 60n, { outcome: 'completed' }))
    },
    ENDED('0.00000006'),
  ],
  [
    'settled for nothing, as answers of free models are',
    async () => {
      await storage.ledger.apply(hold(FIRST, wallet, NODE))
      await storage.ledger.apply(settle(FIRST, NODE, 0n, { outcome: 'incomplete' }))
    },
    ENDED('0.00'),
  ],
  [
    'settled for nothing, without an answer',
    async () => {
      await storage.ledger.apply(hold(FIRST, wallet, NODE))
      await storage.ledger.apply(settle(FIRST, NODE, 0n, { outcome: 'cut' }))
    },
    TAKEN_OVER,
  ],
  [
    'voided',
    async () => {
      await storage.ledger.apply(hold(FIRST, wallet, NODE))
      await storage.ledger.apply(voided(FIRST, NODE))
    },
    TAKEN_OVER,
  ],
  [
    'reaped at what it had delivered',
    async () => {
      await storage.ledger.apply(hold(FIRST, wallet, NODE))
      await storage.ledger.apply(extend(FIRST, NODE, { progress: 40n }))
      await die()
    },
    ENDED('0.00000004'),
  ],
  [
    'reaped for nothing',
    async () => {
      await storage.ledger.apply(hold(FIRST, wallet, NODE))
      await die()
    },
    TAKEN_OVER,
  ],
])('the first was %s', async (_, left, expected) => {
  await claimed()
  await left()
  expect(await claim()).toMatchObject(expected)
  expect((await claim('another body')) as object).toMatchObject({ status: 'idempotency_mismatch' })
})

describe('a reaped request that was taken over, and whose owner was only cut off from the database', () => {
  const SECOND = FIRST + 1n
  let second: KeyClaim
  beforeEach(async () => {
    await claimed()
    await storage.ledger.apply(hold(FIRST, wallet, NODE))
    await die()
    second = await claimed()
    confirmClaim(second)
    NODE.epoch = (await newNode(storage, 0)).epoch
    await storage.ledger.apply(hold(SECOND, wallet, NODE))
  })
  afterEach(() => {
    NODE.epoch = 1
  })
  const fail = async () => {
    await storage.ledger.apply(voided(SECOND, NODE))
    await endClaim(second, { outcome: 'failed', charged: 0n, headers: testHeaders(), body: undefined }, deps)
  }
  const succeed = async () => {
    await storage.ledger.apply(settle(SECOND, NODE, 70n, { outcome: 'completed' }))
    const end = { outcome: 'completed' as const, charged: 70n, headers: testHeaders(), body: Buffer.from('second') }
    await endClaim(second, end, deps)
  }
  const comeBack = async () =>
    void (await storage.ledger.apply(settle(FIRST, { nodeId: 0, epoch: 1 }, 60n, { outcome: 'completed' })))
  const collect = async () => void (await storage.ledger.apply({ verb: 'collect', limit: 10 }))

  test.each<[string, (() => Promise<void>)[], object, bigint]>([
    ['the repetition is charged, then the owner returns', [succeed, comeBack, collect], { replayed: 'second' }, 930n],
    ['the owner returns, then the repetition is charged', [comeBack, collect, succeed], { replayed: 'second' }, 930n],
    ['the repetition fails, then the owner returns', [fail, comeBack, collect], ENDED('0.00000006'), 940n],
    ['the owner returns, then the repetition fails', [comeBack, collect, fail, collect], ENDED('0.00000006'), 940n],
    ['the repetition fails, and the owner never returns', [fail, collect], { claim: { repeats: FIRST } }, 1_000n],
  ])('one answer is charged: %s', async (_, steps, again, balance) => {
    for (const step of steps) await step()
    expect(await claim()).toMatchObject(again)
    expect(await money(storage, wallet)).toMatchObject({ balance, held: 0n })
  })

  test('the next repetition repeats the first request, too, if one fails before its hold', async () => {
    await fail()
    const third = await claimed()
    await releaseClaim(third, deps)
    const fourth = await claimed()
    expect([third.repeats, fourth.repeats]).toEqual([FIRST, FIRST])
  })

  test('its response is not stored under the key of the repetition', async () => {
    await comeBack()
    const first = { ...second, claim: { ...second.claim, id: FIRST }, repeats: 0n }
    const end = { outcome: 'completed' as const, charged: 0n, headers: testHeaders(), body: Buffer.from('late') }
    await endClaim(first, end, deps)
    expect(logged).toEqual(['idempotency key was taken over by another request'])
    expect(await claim()).toMatchObject(RUNNING)
  })
})

test('a reaped request whose owner was quicker has ended', async () => {
  await claimed()
  await storage.ledger.apply(hold(FIRST, wallet, NODE))
  await die()
  const { apply } = storage.ledger
  deps = {
    ...deps,
    store: {
      ...storage,
      ledger: {
        ...storage.ledger,
        apply: async (verb) => {
          await apply(settle(FIRST, NODE, 60n))
          return apply(verb)
        },
      },
    },
  }
  expect(await claim()).toMatchObject(ENDED('0.00000006'))
})

test('of many that find an abandoned key one takes it over', async () => {
  await claimed()
  now += 31_000
  const all = await Promise.all(Array.from({ length: 20 }, () => claim()))
  expect(all.filter((said) => 'claim' in said)).toHaveLength(1)
  expect(all.filter((said) => 'status' in said && said.status === 'conflict')).toHaveLength(19)
})

test('a response that is stored a moment after it was settled is replayed', async () => {
  const first = await claimed()
  await storage.ledger.apply(hold(FIRST, wallet, NODE))
  await storage.ledger.apply(settle(FIRST, NODE, 60n, { outcome: 'completed' }))
  const second = claim()
  // The second has looked at the ledger by then.
  await Bun.sleep(100)
  const headers = testHeaders()
  const set = { 'content-type': 'application/json', 'x-trivium-warnings': 'seed;dropped', other: 'x' }
  for (const [name, value] of Object.entries(set)) headers.set(name, value)
  await endClaim(first, { outcome: 'completed', charged: 60n, headers, body: Buffer.from('{"a":1}') }, deps)
  const said = await second
  if (!('replayed' in said)) throw new Error(`not replayed: ${JSON.stringify(said)}`)
  expect(said.replayed).toBe('{"a":1}')
  const expected = {
    'content-type': 'application/json',
    'x-trivium-warnings': 'seed;dropped',
    other: null,
    'idempotent-replayed': 'true',
    'idempotent-request-id': formatRequestId(FIRST),
  }
  for (const [name, value] of Object.entries(expected)) expect(said.headers.get(name)).toBe(value)
})

describe('a stored response', () => {
  const SECRET_WORDS = '{"said":"something private"}'
  async function kept(): Promise<KeyClaim> {
    const first = await claimed()
    await storage.ledger.apply(hold(FIRST, wallet, NODE))
    await storage.ledger.apply(settle(FIRST, NODE, 60n, { outcome: 'completed' }))
    const headers = testHeaders()
    headers.set('content-type', 'application/json')
    await endClaim(first, { outcome: 'completed', charged: 60n, headers, body: Buffer.from(SECRET_WORDS) }, deps)
    return first
  }
  const stored = async ({ claim: { account, key } }: KeyClaim, fingerprint: Uint8Array) => {
    const found = await storage.contents.find({ id: 99n, ...NODE, account, key, fingerprint })
    if (found.outcome !== 'finished' || !found.answer) throw new Error(`not kept: ${found.outcome}`)
    return found.answer
  }

  test('is encrypted in the store, and comes back as it was', async () => {
    const first = await kept()
    const { headers, body } = await stored(first, first.claim.fingerprint)
    expect(`${headers} ${Buffer.from(body).toString('latin1')}`).not.toMatch(/private|content-type|json/)
    expect(await claim()).toMatchObject({ replayed: SECRET_WORDS })
  })

  test('that cannot be decrypted is an error, and not a second charge', async () => {
    await kept()
    deps = { ...deps, accountCipher: createAccountCipher('another secret') }
    const said = await claim()
    expect(said).toMatchObject({
      status: 'conflict, for good',
      message: expect.stringContaining('can no longer be read'),
    })
    expect(logged.join()).toContain('cannot be decrypted')
  })

  test('of an earlier version, which did not encrypt it, is still replayed', async () => {
    const { claim: own } = await claimed()
    const answer = { headers: '{"content-type":"application/json"}', body: Buffer.from('{"old":1}') }
    await storage.contents.keep(own, { cost: 60n, keepMs: 3_600_000, answer })
    expect(await claim()).toMatchObject({ replayed: '{"old":1}' })
  })
})

describe('a hold that came too late', () => {
  test('is not confirmed, and the key is free', async () => {
    const first = await claimed()
    const late = { ...first, claimedFrom: performance.now() - 11_000 }
    expect(() => confirmClaim(late)).toThrow(unavailable().info.message)
    await releaseClaim(late, deps)
    expect(await claim()).toMatchObject(TAKEN_OVER)
  })

  test('one in time is not; from then on only the outcome decides', async () => {
    const first = await claimed()
    confirmClaim(first)
    await releaseClaim(first, deps)
    expect(await claim()).toMatchObject(RUNNING)
  })
})

test.each<[string, () => Promise<never>, string[]]>([
  ['fails', () => Promise.reject(new StoreDown('the disk is full')), ['response not stored']],
  ['does not answer', () => new Promise(() => {}), []],
])('a store that %s does not fail a response that was paid for', async (_, keep, lines) => {
  const first = await claimed()
  const contents = { ...storage.contents, keep }
  const end = { outcome: 'completed' as const, charged: 5n, headers: testHeaders(), body: Buffer.from('x') }
  await endClaim(first, end, { ...deps, store: { ...storage, contents } })
  expect(logged).toEqual(lines)
})

test('a store that is down: nothing runs, and the error is logged', async () => {
  const contents = { ...storage.contents, claim: () => Promise.reject(new StoreDown('the disk is full')) }
  deps = { ...deps, store: { ...storage, contents } }
  const thrown = await claim().catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(StoreDown)
  expect(logged).toEqual(['idempotency key not claimed'])
})

test('an account beyond its limit of keys gets the stored responses of those that it has', async () => {
  let isFull = false
  const count = () => {
    isFull = true
  }
  const rejection = () => (isFull ? new Failure('rate_limit_exceeded', 'No more keys.') : undefined)
  deps = { ...deps, claimLimit: { rejection, count } }
  const first = await claimed()
  expect(await claim()).toEqual({ status: 'rate_limit_exceeded', message: 'No more keys.' })
  await storage.ledger.apply(hold(FIRST, wallet, NODE))
  await storage.ledger.apply(settle(FIRST, NODE, 60n, { outcome: 'completed' }))
  const end = { outcome: 'completed', charged: 60n, headers: testHeaders(), body: Buffer.from('the answer') } as const
  await endClaim(first, end, deps)
  expect(await claim()).toMatchObject({ replayed: 'the answer' })
})
