// Everything before the hold, with a journey that records its steps: whichever step fails, nothing stays taken or held.
import { afterEach, describe, expect, test } from 'bun:test'
import type { Sink } from '@trivium/http/response.ts'
import { TEXT_DIALECTS } from '@trivium/protocol/dialects/index.ts'
import { testHeaders, testRequest } from '../../../http/test-support/serve.ts'
import { createTestDependencies, type End, TEST_CALLER } from '../../test-support/dependencies.ts'
import { authorize } from '../access/authorize.ts'
import type { CandidateOf, OfferOf } from '../catalogue/catalogue.ts'
import type { AppDependencies } from '../handler.ts'
import { imagesEndpoint } from '../images/endpoints/images.ts'
import { imageJourney } from '../images/journey.ts'
import { RequestRecord } from '../observe/request-record.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { takeCandidate } from '../routing/take-candidate.ts'
import type { HeldFunds, Opened, RejectedHold } from '../storage/node/settler.ts'
import type { Contents } from '../storage/storage.ts'
import { journey as textJourney } from '../text/journey.ts'
import { submitVideo } from '../videos/journey.ts'
import { fixedBound, placeHold } from './hold.ts'
import type { Journey } from './journey.ts'
import { openPaidCall } from './open.ts'
import type { CallAttempt, PaidRequest, Routed } from './paid-request.ts'
import { runPaidCall } from './run.ts'

type Toy = {
  endpoint: undefined
  request: string
  offer: OfferOf<'text'>
  routed: Routed<OfferOf<'text'>, CandidateOf<'text'>>
  prepared: { bound: ReturnType<typeof fixedBound>; isExtensible: boolean }
  hold: HeldFunds
  attempt: CallAttempt
  own: undefined
}

let stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops) stop()
  stops = []
})

const HEADERS = { authorization: 'Bearer sk-0000000000000000', 'content-type': 'application/json' }

function incomingWith(headers: Record<string, string> = {}, body = ''): ApiRequest {
  const record = new RequestRecord('POST', '/v1/toys', '', 0)
  const http = testRequest('/v1/toys', { ...HEADERS, ...headers }, body)
  return { http, id: 7n, query: '', responseHeaders: testHeaders(), record }
}

function begin(request: PaidRequest<Toy>): void {
  const { offer, candidate, health } = request.routed
  request.attempt = { offer, candidate, health, dialect: 'chat', warnings: [...request.ownWarnings] }
}

/** `holds`: what the ledger says before it grants one. */
function start(own: Partial<Journey<Toy, AppDependencies>> = {}, holds: RejectedHold['verdict'][] = []) {
  const { deps: others, ends } = createTestDependencies({
    send: () => Promise.reject(new Error('not a part of this test')),
    idempotencyMs: 1_000,
  })
  stops.push(() => others.ticker.stop())
  const [claims, closed, refreshed, authorized]: [string[], string[], unknown[], unknown[]] = [[], [], [], []]
  const contents: Partial<Contents> = {
    claim: async () => {
      claims.push('claimed')
      return { outcome: 'new' }
    },
    forget: async () => void claims.push('free'),
    keep: async () => claims.push('kept') > 0,
  }
  const deps: AppDependencies = {
    ...others,
    store: { ...others.store, contents: { ...others.store.contents, ...contents } },
    callers: {
      ...others.callers,
      refresh(_, former) {
        refreshed.push(former.revision)
        return { ...former, revision: former.revision + 1 }
      },
    },
    settler: {
      ...others.settler,
      async open(verb): Promise<Opened> {
        const verdict = holds.shift()
        return verdict === undefined ? others.settler.open(verb) : { verdict, available: 0n }
      },
    },
  }
  const journey: Journey<Toy, AppDependencies> = {
    dialectOf: () => 'chat',
    read: async () => 'same',
    authorize(caller, model, catalogue) {
      authorized.push(caller.revision)
      return authorize(caller, model, 'text', catalogue)
    },
    fingerprint: (body) => ({ endpoint: 'toys', body: Buffer.from(body) }),
    route: ({ offer: wanted, caller, incoming, tooExpensive }, given) =>
      takeCandidate({ wanted, caller, incoming, tooExpensive }, given),
    prepare: () => ({ bound: fixedBound(5n), isExtensible: false }),
    hold: placeHold,
    begin,
    respond: (request, given) => runPaidCall(request, () => Promise.reject(new Error('sent')), given),
    close: async (request) => void closed.push(request),
    ...own,
  }
  const open = (headers: Record<string, string> = {}) => openPaidCall(journey, incomingWith(headers), undefined, deps)
  const [candidate] = deps.catalogue().offers.get('default')?.get('same')?.candidates ?? []
  const taken = () => [deps.admission.inFlight, deps.upstreamCalls.size, candidate?.health.inFlight]
  return { open, deps, ends, claims, closed, refreshed, authorized, taken }
}

const NOTHING_TAKEN = [0, 0, 0]
const fail = () => {
  throw new Error('broken')
}
const VOIDED = { cost: 0n, outcome: 'node_lost' }

describe('a step that fails leaves nothing behind', () => {
  test.each<[string, Partial<Journey<Toy, AppDependencies>>, End[], string[]]>([
    ['check', { check: fail }, [], []],
    ['read', { read: async () => fail() }, [], []],
    ['authorize', { authorize: fail }, [], []],
    ['route', { route: async () => fail() }, [], ['claimed', 'free']],
    ['prepare', { prepare: fail }, [], ['claimed', 'free']],
    ['prepare, later', { prepare: async () => fail() }, [], ['claimed', 'free']],
    ['hold', { hold: async () => fail() }, [], ['claimed', 'free']],
    ['begin', { begin: fail }, [VOIDED], ['claimed', 'free']],
    // Settled by the journey, and then the key is free for another try.
    ['respond', {}, [{ cost: 0n, outcome: 'failed' }], ['claimed', 'free']],
  ])('%s', async (step, own, expected, claimed) => {
    const { open, ends, claims, closed, taken } = start(own)
    const failed = await open({ 'idempotency-key': 'k' }).catch(String)
    expect(failed).toBe(step === 'respond' ? 'Error: sent' : 'Error: broken')
    expect([taken(), ends, claims]).toEqual([NOTHING_TAKEN, expected, claimed])
    expect(closed).toEqual(step === 'check' || step === 'read' ? [] : ['same'])
  })

  test('a hold that the ledger rejects', async () => {
    const { open, ends, claims, taken } = start({}, ['no_balance'])
    const failed = await open({ 'idempotency-key': 'k' }).catch((error: unknown) => error)
    expect(failed).toMatchObject({ info: { code: 'insufficient_balance' } })
    expect([taken(), ends, claims]).toEqual([NOTHING_TAKEN, [], ['claimed', 'free']])
  })

  test('a hold that was granted so late that another request may have the idempotency key', async () => {
    const { open, ends, claims, taken } = start({
      route({ claim, offer: wanted, caller, incoming, tooExpensive }, deps) {
        if (claim) claim.claimedFrom -= 11_000
        return takeCandidate({ wanted, caller, incoming, tooExpensive }, deps)
      },
    })
    const failed = await open({ 'idempotency-key': 'k' }).catch((error: unknown) => error)
    expect(failed).toMatchObject({ info: { code: 'service_unavailable' } })
    expect([taken(), ends, claims]).toEqual([NOTHING_TAKEN, [VOIDED], ['claimed', 'free']])
  })
})

describe('a key that changes before the hold', () => {
  test('is looked up again, and what it may call is decided anew', async () => {
    const { open, ends, refreshed, authorized, taken } = start({}, ['key_changed', 'key_changed'])
    expect(await open().catch(String)).toBe('Error: sent')
    expect([refreshed, authorized]).toEqual([
      [1, 2],
      [1, 2, 3],
    ])
    expect([taken(), ends]).toEqual([NOTHING_TAKEN, [{ cost: 0n, outcome: 'failed' }]])
  })

  test('three times: the request fails', async () => {
    const { open, ends, taken } = start({}, ['key_changed', 'key_changed', 'key_changed'])
    const failed = await open().catch((error: unknown) => error)
    expect(failed).toMatchObject({ info: { code: 'service_unavailable' } })
    expect([taken(), ends]).toEqual([NOTHING_TAKEN, []])
  })
})

test('a fallback that is too expensive is left out from then on, by its id', async () => {
  const seen: string[][] = []
  const { open, taken } = start(
    {
      async route({ offer: wanted, caller, incoming, tooExpensive }, deps) {
        seen.push([...tooExpensive])
        const routed = await takeCandidate({ wanted, caller, incoming, tooExpensive }, deps)
        // Offers that were reduced for one request are other objects the next time.
        return tooExpensive.length > 1
          ? routed
          : { ...routed, offer: { ...wanted, model: { ...wanted.model, id: `f${seen.length}` } } }
      },
    },
    ['no_balance', 'key_cap_reached', 'no_balance'],
  )
  const failed = await open().catch((error: unknown) => error)
  expect(failed).toMatchObject({ info: { code: 'insufficient_balance' } })
  expect([seen, taken()]).toEqual([[[], ['f1'], ['f1', 'f2']], NOTHING_TAKEN])
})

test('a stream keeps its slot, and what was read, until it has ended', async () => {
  const ended = Promise.withResolvers<Uint8Array>()
  const { open, closed, deps } = start({
    begin(request) {
      begin(request)
      request.isStream = true
    },
    respond: async ({ headers, slot }) => ({
      status: 200,
      headers,
      body: { run: () => ended.promise.finally(() => slot.release()) },
    }),
  })
  const { body } = await open()
  expect([deps.admission.inFlight, closed]).toEqual([1, []])
  if (body instanceof Uint8Array) throw new Error('it is no stream')
  const run = body.run({} as Sink)
  ended.resolve(new Uint8Array(0))
  await run
  expect([deps.admission.inFlight, closed]).toEqual([0, ['same']])
})

describe('the slot that was reserved for a request in the queue is its own', () => {
  const body = JSON.stringify({ model: 'same', messages: [{ role: 'user', content: 'x' }] })
  test.each<[string, (incoming: ApiRequest, deps: AppDependencies) => Promise<unknown>]>([
    ['text', (incoming, deps) => textJourney(incoming, { dialect: TEXT_DIALECTS.chat }, deps)],
    ['images', (incoming, deps) => imageJourney(incoming, imagesEndpoint('generate'), deps)],
    ['videos', submitVideo],
  ])('%s', async (_, send) => {
    const { deps } = start()
    const { admission } = deps
    admission.setLimits({ inFlight: 1, memoryBytes: 1024 * 1024 })
    const load = { tenant: TEST_CALLER, bytes: 0, isArriving: false }
    const running = admission.enter({ ...load, tenant: { account: 2n, key: 2n } })
    const incoming = incomingWith({}, body)
    const sending = Promise.withResolvers<unknown>()
    let queued: number | undefined
    admission.enqueueUnread(1_024, incoming.http, () => {
      sending.resolve(send(incoming, deps).catch(() => {}))
      queued = admission.queued
    })
    // Whatever gives its slot up would find it taken.
    admission.enqueueUnread(1_024, testRequest('/v1/other'), () => {})
    running?.release()
    await sending.promise
    expect([queued, incoming.record.queuedMs]).toEqual([1, 0])
  })
})
