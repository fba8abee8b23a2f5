// Many requests for images at once: what their images will take in memory is bounded, and a burst is not an overload.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { edit, formOf, generate, pngOf } from '../support/requests/images.ts'

let gateway: Gateway
let secret: string
beforeAll(async () => {
  gateway = await startGateway()
  secret = (await newKey(gateway, '100')).secret
})
afterAll(() => gateway.stop())

/** How many responses have each status. */
async function statuses(calls: readonly Promise<Response>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {}
  for (const response of await Promise.all(calls)) {
    await response.bytes()
    counts[response.status] = (counts[response.status] ?? 0) + 1
  }
  return counts
}

const PROMPT = { model: 'sandbox-image', prompt: 'pace 300 ms' }

test('60 generations of one account', async () => {
  const calls = Array.from({ length: 60 }, () => generate(gateway.url, secret, PROMPT))
  expect(await statuses(calls)).toEqual({ 200: 60 })
})

test('50 edits of one key', async () => {
  // Large enough to arrive in several pieces.
  const image = new Uint8Array([...(await pngOf(64, 64)), ...new Uint8Array(300_000)])
  const form = () => formOf([...Object.entries(PROMPT), ['n', '1'], ['image', image]])
  const calls = Array.from({ length: 50 }, () => edit(gateway.url, secret, form()))
  expect(await statuses(calls)).toEqual({ 200: 50 })
})
