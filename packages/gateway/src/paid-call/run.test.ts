// The core of paid calls with a price per image and work of the test's own: it knows neither tokens nor text.
import { afterEach, expect, test } from 'bun:test'
import { testHeaders, testRequest } from '@trivium/http/test-support.ts'
import { authenticate } from '../access/authenticate.ts'
import { imageRate } from '../money/prices/image-price.ts'
import { recompute } from '../money/prices/receipt.ts'
import { NO_OPTIONS } from '../money/prices/token-price.ts'
import { tokenRate } from '../money/prices/token-rate.ts'
import { RequestRecord } from '../observe/request-record.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { Failure } from '../request/failure.ts'
import { createTestDependencies } from '../test-dependencies.ts'
import { UNREPORTED } from '../text/billing/charge.ts'
import { Attempt, KeyHealth } from '../upstreams/health/key-health.ts'
import { admit } from './admit.ts'
import { placeHold } from './hold.ts'
import type { Result } from './outcome.ts'
import type { PaidCall } from './paid-call.ts'
import { runPaidCall } from './run.ts'
import { settle } from './settle.ts'

const PRICE = imageRate({ type: 'image', perImage: 40n, variants: new Map([['1024x1024', 60n]]) }, 1_500_000n)
/** Two of a size that is left open: at most 2 x 60 x 1.5. */
const REQUESTED = { count: 2, size: undefined, quality: undefined }

let stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops) stop()
  stops = []
})

/** Authenticated, admitted and held. */
async function start() {
  const { deps: dependencies, ends } = createTestDependencies({ send: () => Promise.reject(new Error('not called')) })
  stops.push(() => dependencies.ticker.stop())
  const receipts: string[] = []
  const { open } = dependencies.settler
  dependencies.settler.open = async (hold) => {
    const opened = await open(hold)
    if (opened.outcome !== 'open') return opened
    const { settle, void: voided } = opened.request
    const kept = {
      settle(...end: Parameters<typeof settle>) {
        receipts.push(end[3])
        return settle(...end)
      },
      void(...end: Parameters<typeof voided>) {
        receipts.push(end[1])
        return voided(...end)
      },
    }
    return { outcome: 'open', request: { ...opened.request, ...kept } }
  }
  const record = new RequestRecord('POST', '/v1/images/generations', '', 0)
  const headers = testHeaders()
  const http = testRequest('/v1/images/generations', { authorization: 'Bearer sk-0000000000000000' })
  const incoming: ApiRequest = { http, id: 7n, query: '', responseHeaders: headers, record }
  const caller = await authenticate(incoming, 'images', dependencies)
  const slot = await admit(incoming, caller, dependencies)
  const [route] = dependencies.catalogue().config.models.get('same')?.routes ?? []
  const upstream = dependencies.catalogue().config.upstreams.get('own')
  const bound = PRICE.bound(REQUESTED)
  if (!route || !upstream || bound === undefined) throw new Error('not a part of this test')
  const owner = dependencies.node.identity()
  const held = await placeHold(
    {
      id: 7n,
      caller,
      owner,
      model: 'painter',
      isFallback: false,
      upstream: 'own',
      isExtensible: false,
      amount: bound,
      minimum: bound,
      tokens: 0,
      minimumTokens: 0,
    },
    dependencies,
  )
  if (held.outcome !== 'open') throw new Error('not held')
  const health = new KeyHealth()
  const candidate = { upstream, route, key: 'k', health, priority: 1, weight: 1 }
  const offer = {
    model: { id: 'painter' },
    rate: PRICE,
    group: 'default',
    priceVersion: 'v1',
    candidates: [candidate],
    tiers: [],
    fallbacks: [],
  }
  const call: PaidCall = {
    id: 7n,
    caller,
    hold: held.request,
    owner,
    client: http,
    headers,
    record,
    startedAt: 0,
    slot,
    upstreamCall: dependencies.upstreamCalls.start(upstream, caller.account),
    claim: undefined,
    attempt: { offer, candidate, dialect: 'images', health: new Attempt(health, route.model, 0), warnings: [] },
    failedAttempts: undefined,
    firstOutputAt: undefined,
    isSettled: false,
  }
  const run = <T>(work: () => Promise<T>) => runPaidCall(call, work, dependencies)
  const settleFor = (count: number, size: string) => {
    const charge = PRICE.cost({ images: Array(count).fill({ size, quality: undefined }), requested: 2 })
    const result: Result = { outcome: 'completed', charges: charge ? [charge] : [], sawOutput: true }
    return settle(call, result, dependencies)
  }
  return { call, run, settleFor, ends, receipts, http, dependencies }
}

test('held at the bound, settled at the cost, with a receipt that the charge can be recomputed from', async () => {
  const { call, run, settleFor, ends, receipts } = await start()
  expect(call.hold.held).toBe(180n)
  const response = await run(async () => {
    await settleFor(1, '512x512')
    return 'the image'
  })
  expect(response).toBe('the image')
  expect(ends).toEqual([{ cost: 60n, ending: 'completed' }])
  const receipt = JSON.parse(receipts[0] ?? '')
  expect(receipt).toMatchObject({ units: { images: 1 }, price: { version: 'v1', per_image: '40' } })
  expect(recompute(receipt)).toBe(60n)
})

test('work that fails is voided once, and its error is the caller’s', async () => {
  const { run, ends, call } = await start()
  const failure = new Failure('upstream_error', 'The upstream broke off its answer.')
  expect(await run(() => Promise.reject(failure)).catch((error) => error)).toBe(failure)
  expect(ends).toEqual([{ cost: 0n, ending: 'failed' }])
  expect(call.upstreamCall.cancellation.isCancelled).toBe(false)
})

test('work that fails after its settlement is not settled again', async () => {
  const { run, settleFor, ends } = await start()
  const failing = run(async () => {
    await settleFor(2, '1024x1024')
    throw new Error('afterwards')
  })
  expect(await failing.catch(String)).toBe('Error: afterwards')
  expect(ends).toEqual([{ cost: 180n, ending: 'completed' }])
})

test('a client that disconnects before there is a result: the call is aborted, and free', async () => {
  const { call, run, ends, http, dependencies } = await start()
  const aborted = new Promise((_, reject) => {
    call.upstreamCall.cancellation.signal.addEventListener('abort', () => reject(new Error('aborted')))
  })
  const running = run(() => aborted)
  http.onDisconnect?.()
  expect(await running.catch(String)).toBe('Error: aborted')
  expect(ends).toEqual([{ cost: 0n, ending: 'client_disconnected' }])
  expect(dependencies.upstreamCalls.size).toBe(0)
})

test('a request may have charges of several prices', async () => {
  const { call, run, ends, receipts, dependencies } = await start()
  const images = PRICE.cost({ images: [{ size: '1024x1024', quality: undefined }], requested: 1 })
  // A third of a nano-USD per token: each charge is rounded up once.
  const figures = { input: 333_333n, output: 0n, cachedInput: 0n, cacheWrite: 0n }
  const usage = { ...UNREPORTED, input: 4, output: 0 }
  const prompt = tokenRate(figures, 1_500_000n).cost({ usage, options: NO_OPTIONS })
  if (!images) throw new Error('not priced')
  const result: Result = { outcome: 'completed', charges: [prompt, images], sawOutput: true }
  await run(() => settle(call, result, dependencies))
  expect(ends).toEqual([{ cost: 2n + 90n, ending: 'completed' }])
  const receipt = JSON.parse(receipts[0] ?? '')
  expect(receipt.units).toEqual({ input: 4, output: 0, images: 1 })
  expect(recompute(receipt)).toBe(92n)
})
