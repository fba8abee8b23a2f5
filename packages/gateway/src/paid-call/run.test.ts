// The core of paid calls with a price per image and work of the test's own: it knows neither tokens nor text.
import { afterEach, expect, test } from 'bun:test'
import { PRICE, startPaidCall } from '../../test-support/paid-call.ts'
import { recompute } from '../money/prices/receipt.ts'
import { NO_OPTIONS } from '../money/prices/token-price.ts'
import { tokenRate } from '../money/prices/token-rate.ts'
import { Failure } from '../request/failure.ts'
import { UNREPORTED } from '../text/billing/charge.ts'
import type { CallResult } from './outcome.ts'
import { settle } from './settle.ts'

let stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops) stop()
  stops = []
})

async function start() {
  const started = await startPaidCall()
  stops.push(() => started.dependencies.ticker.stop())
  return started
}

test('held at the bound, settled at the cost, with a receipt that the charge can be recomputed from', async () => {
  const { call, run, settleFor, ends, receipts } = await start()
  expect(call.hold.held).toBe(180n)
  const response = await run(async () => {
    await settleFor(1, '512x512')
    return 'the image'
  })
  expect(response).toBe('the image')
  expect(ends).toEqual([{ cost: 60n, outcome: 'completed' }])
  const receipt = JSON.parse(receipts[0] ?? '')
  expect(receipt).toMatchObject({ units: { images: 1 }, price: { version: 'v1', per_image: '40' } })
  expect(recompute(receipt)).toBe(60n)
})

test('work that fails is voided once, and its error is the caller’s', async () => {
  const { run, ends, call } = await start()
  const failure = new Failure('upstream_error', 'The upstream broke off its answer.')
  expect(await run(() => Promise.reject(failure)).catch((error) => error)).toBe(failure)
  expect(ends).toEqual([{ cost: 0n, outcome: 'failed' }])
  expect(call.upstreamCall.cancellation.isCancelled).toBe(false)
})

test('work that fails after its settlement is not settled again', async () => {
  const { run, settleFor, ends } = await start()
  const failing = run(async () => {
    await settleFor(2, '1024x1024')
    throw new Error('afterwards')
  })
  expect(await failing.catch(String)).toBe('Error: afterwards')
  expect(ends).toEqual([{ cost: 180n, outcome: 'completed' }])
})

test('a client that disconnects before there is a result: the call is aborted, and free', async () => {
  const { call, run, ends, http, dependencies } = await start()
  const aborted = new Promise((_, reject) => {
    call.upstreamCall.cancellation.signal.addEventListener('abort', () => reject(new Error('aborted')))
  })
  const running = run(() => aborted)
  http.onDisconnect?.()
  expect(await running.catch(String)).toBe('Error: aborted')
  expect(ends).toEqual([{ cost: 0n, outcome: 'client_disconnected' }])
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
  const result: CallResult = { outcome: 'completed', charges: [prompt, images], sawOutput: true }
  await run(() => settle(call, result, dependencies))
  expect(ends).toEqual([{ cost: 2n + 90n, outcome: 'completed' }])
  const receipt = JSON.parse(receipts[0] ?? '')
  expect(receipt.units).toEqual({ input: 4, output: 0, images: 1 })
  expect(recompute(receipt)).toBe(92n)
})
