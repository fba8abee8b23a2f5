// Texts that keep a tokenizer busy, from one account: the other accounts and ordinary traffic are served.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { hostileTexts } from '../../packages/gateway/test-support/texts.ts'
import { newKey } from '../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { callIn, headersIn, sandboxConfig } from '../../test/support/requests/dialect-calls.ts'

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
})
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

test('200,000 characters of any kind are counted', async () => {
  for (const [kind, text] of Object.entries(hostileTexts(200_000))) {
    const { secret } = await newKey(gateway)
    const counted = await count(secret, text)
    expect({ kind, ...counted }).toEqual({ kind, status: 200, tokens: expect.any(Number), source: 'tokenizer' })
    expect(counted.tokens).toBeWithin(1, 300_000)
  }
})

test('10 MiB are estimated', async () => {
  const text = hostileTexts(2_000_000)['random letters'] ?? ''
  const counted = await count(other, text.repeat(5))
  expect(counted).toMatchObject({ status: 200, source: 'estimate' })
  // One token for two random letters.
  expect(counted.tokens).toBeWithin(4_000_000, 6_000_000)
})

test('while one account counts as much as it can, others are served as usual', async () => {
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
  while (counts.length === 0) await Bun.sleep(5)
  for (let call = 0; call < 50; call++) {
    const response = await callIn('chat', gateway.url, other, { model: MODEL })
    expect(response.status).toBe(200)
    await response.arrayBuffer()
  }
  expect(await count(other, 'Hello there.')).toEqual({ status: 200, tokens: 3 + 7, source: 'tokenizer' })
  while (!counts.some(({ source }) => source === 'estimate')) await Bun.sleep(20)
  isOver = true
  await Promise.all(floods)
  expect(counts.filter(({ status }) => status !== 200 && status !== 429)).toEqual([])
  // Its account has used up its time; another one has not.
  expect((await count(other, 'Hello there.')).source).toBe('tokenizer')
})
