// Texts that keep a tokenizer busy, from one account: the other accounts and ordinary traffic do not notice. Judged by the CPU
// time of the gateway's main thread, on which everything else runs, and not by a stopwatch: the machine may be busy.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { hostileTexts, ORDINARY_TEXTS } from '../../packages/gateway/src/token-counting/test-texts.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { callIn, headersIn, sandboxConfig } from '../support/requests/dialect-calls.ts'

const MODEL = 'over-chat'
let gateway: Gateway
let hostile: string
let other: string
beforeAll(async () => {
  gateway = await startGateway({ config: sandboxConfig() })
  hostile = (await newKey(gateway)).secret
  other = (await newKey(gateway)).secret
  // The thread of the tokenizer is started, and code has been compiled.
  for (let calls = 0; calls < 20; calls++) {
    await count(other, 'Hello there.')
    await (await callIn('chat', gateway.url, other, { model: MODEL })).arrayBuffer()
  }
}, 30_000)
afterAll(async () => {
  expect(gateway.output().stderr).not.toMatch(/"level":"(error|warn)".*tokenizer/)
  await gateway.stop()
})

async function count(secret: string, content: string) {
  const body = JSON.stringify({ model: MODEL, messages: [{ role: 'user', content }] })
  const headers = headersIn('messages', secret)
  const response = await fetch(`${gateway.url}/v1/messages/count_tokens`, { method: 'POST', headers, body })
  const { input_tokens: tokens } = (await response.json()) as { input_tokens: number }
  return { status: response.status, tokens, source: response.headers.get('x-trivium-token-count') }
}

/** CPU time of the gateway's main thread in milliseconds. */
const mainThreadMs = (): number =>
  Number(readFileSync(`/proc/${gateway.pid}/task/${gateway.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6

async function costOf(work: () => Promise<unknown>): Promise<number> {
  const before = mainThreadMs()
  await work()
  return mainThreadMs() - before
}

const prose = Object.values(ORDINARY_TEXTS).join('\n').repeat(10).slice(0, 200_000)

test('200,000 characters of any kind cost the main thread hardly more than prose', async () => {
  const usual = await costOf(() => count(other, prose))
  for (const [kind, text] of Object.entries(hostileTexts(200_000))) {
    const { secret } = await newKey(gateway)
    let counted: Awaited<ReturnType<typeof count>> | undefined
    const cost = await costOf(async () => {
      counted = await count(secret, text)
    })
    expect({ kind, ...counted }).toEqual({ kind, status: 200, tokens: expect.any(Number), source: 'tokenizer' })
    expect(counted?.tokens).toBeWithin(1, 300_000)
    expect(cost).toBeLessThan(2 * usual + 100)
  }
}, 60_000)

test('10 MiB are estimated', async () => {
  const text = hostileTexts(2_000_000)['random letters'] ?? ''
  const cost = await costOf(async () => {
    const counted = await count(other, text.repeat(5))
    expect(counted).toMatchObject({ status: 200, source: 'estimate' })
    // One token for two random letters.
    expect(counted.tokens).toBeWithin(4_000_000, 6_000_000)
  })
  expect(cost).toBeLessThan(1_000)
}, 30_000)

test('while one account counts as much as it can, others are served as usual', async () => {
  const calls = () =>
    costOf(async () => {
      for (let call = 0; call < 50; call++) {
        const response = await callIn('chat', gateway.url, other, { model: MODEL })
        expect(response.status).toBe(200)
        await response.arrayBuffer()
      }
    })
  const alone = await calls()
  const text = hostileTexts(200_000)['random letters'] ?? ''
  let isOver = false
  const counts: Awaited<ReturnType<typeof count>>[] = []
  // Never the same text twice: the tokenizer remembers what it has seen.
  let shift = 0
  const flood = async () => {
    for (; !isOver && counts.at(-1)?.status !== 429; shift++)
      counts.push(await count(hostile, text.slice(shift) + text.slice(0, shift)))
  }
  const floods = Array.from({ length: 8 }, flood)
  await Bun.sleep(500)
  const before = counts.length
  const flooded = await calls()
  const read = counts.length - before
  expect(await count(other, 'Hello there.')).toEqual({ status: 200, tokens: 3 + 7, source: 'tokenizer' })
  while (!counts.some(({ source }) => source === 'estimate')) await Bun.sleep(20)
  isOver = true
  await Promise.all(floods)
  // The flood costs the main thread no more than the reading of its bodies: a few milliseconds for each.
  expect(flooded).toBeLessThan(3 * alone + 100 + read * 20)
  expect(counts.filter(({ status }) => status !== 200 && status !== 429)).toEqual([])
  // Its account has used up its time; another one has not.
  expect((await count(other, 'Hello there.')).source).toBe('tokenizer')
}, 60_000)
