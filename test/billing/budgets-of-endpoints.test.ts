// Every endpoint that costs money counts against the budgets that apply, lists them on its receipt, and rejects what exceeds one in its own
// dialect, naming it.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { ROUTES } from '@trivium/protocol/routes.ts'
import { budgetOf, newWallet, type Wallet, withStorage } from '../support/budgets.ts'
import { eventually } from '../support/eventually.ts'
import { audit } from '../support/gateway/accounts.ts'
import { askStore } from '../support/gateway/ask-store.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { createDatabase, newHomeWithTables } from '../support/gateway/home.ts'
import { QUICK } from '../support/gateway/video-gateway.ts'
import { wavOf } from '../support/requests/audio.ts'

const TAG = 'team=search'
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const MESSAGES = [{ role: 'user', content: 'Hello.' }]
const CONTENTS = [{ role: 'user', parts: [{ text: 'Hello.' }] }]
const TEXT = 'sandbox-text'
const EMBEDDING = 'sandbox-embedding'

/** `file`: it is a form. */
type Call = { path: string; body: object; file?: 'image' | 'file' }
const CALLS: Record<string, Call> = {
  chat: { path: '/v1/chat/completions', body: { model: TEXT, messages: MESSAGES } },
  'a stream of chat': { path: '/v1/chat/completions', body: { model: TEXT, messages: MESSAGES, stream: true } },
  completions: { path: '/v1/completions', body: { model: TEXT, prompt: 'Hello.' } },
  responses: { path: '/v1/responses', body: { model: TEXT, input: 'Hello.' } },
  'background responses': { path: '/v1/responses', body: { model: TEXT, input: 'Hello.', background: true } },
  messages: { path: '/v1/messages', body: { model: TEXT, messages: MESSAGES, max_tokens: 100 } },
  generateContent: { path: `/v1beta/models/${TEXT}:generateContent`, body: { contents: CONTENTS } },
  streamGenerateContent: { path: `/v1beta/models/${TEXT}:streamGenerateContent`, body: { contents: CONTENTS } },
  embeddings: { path: '/v1/embeddings', body: { model: EMBEDDING, input: 'Hello.' } },
  embedContent: {
    path: `/v1beta/models/${EMBEDDING}:embedContent`,
    body: { content: { parts: [{ text: 'Hello.' }] } },
  },
  rerank: { path: '/v1/rerank', body: { model: 'sandbox-rerank', query: 'a', documents: ['a'] } },
  moderations: { path: '/v1/moderations', body: { model: 'moderation', input: 'Hello.' } },
  speech: { path: '/v1/audio/speech', body: { model: 'sandbox-speech', input: 'Hello.', voice: 'alloy' } },
  transcriptions: { path: '/v1/audio/transcriptions', body: { model: 'sandbox-transcription' }, file: 'file' },
  images: { path: '/v1/images/generations', body: { model: 'sandbox-image', prompt: 'A dog.' } },
  'image edits': { path: '/v1/images/edits', body: { model: 'sandbox-image', prompt: 'A dog.' }, file: 'image' },
  videos: {
    path: '/api/v3/contents/generations/tasks',
    body: { model: 'sandbox-video', content: [{ type: 'text', text: 'A dog.' }] },
  },
}

const CONFIG = `
sandbox: true
models:
  - { id: moderation, type: moderation, price: { per_request: 0.001 }, routes: [{ upstream: sandbox, model: sandbox-moderation }] }
`

let gateway: Gateway
let ample: Wallet & { budget: bigint }
let reached: Wallet & { budget: bigint }
beforeAll(async () => {
  const home = await newHomeWithTables('sqlite', CONFIG)
  await createDatabase(home)
  ;[ample, reached] = await withStorage(home, async (storage) => {
    const make = async (amount: bigint) => {
      const wallet = await newWallet(storage)
      const made = await storage.budgets.create(
        budgetOf({ kind: 'tag', account: wallet.account, value: TAG, amount, period: 'month' }),
      )
      return { ...wallet, budget: made?.id ?? 0n }
    }
    return [await make(5_000_000_000n), await make(1n)]
  })
  gateway = await startGateway({ home, taskTiming: { ...QUICK, runWaitMs: 200, runWatchMs: 50 } })
})
afterAll(async () => {
  await eventually(async () => (await audit(gateway)).open_holds === 0)
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  await gateway.stop()
})

function send({ path, body, file }: Call, { secret }: Wallet): Promise<Response> {
  const headers = { authorization: `Bearer ${secret}`, 'x-trivium-tags': TAG, 'anthropic-version': '2023-06-01' }
  if (file === undefined) {
    const json = { ...headers, 'content-type': 'application/json' }
    return fetch(gateway.url + path, { method: 'POST', headers: json, body: JSON.stringify(body) })
  }
  const form = new FormData()
  for (const [name, value] of Object.entries(body)) form.append(name, String(value))
  if (file === 'image') form.set('image', new Blob([Buffer.from(PNG, 'base64')], { type: 'image/png' }), 'a.png')
  else form.set('file', new Blob([wavOf(1)]), 'a.wav')
  return fetch(gateway.url + path, { method: 'POST', headers, body: form })
}

type Receipt = { state: string; cost_usd: string; budgets: { left_usd: string }[] }

async function receiptOf(response: Response): Promise<Receipt> {
  const headers = { authorization: `Bearer ${ample.secret}` }
  let receipt: Receipt | undefined
  await eventually(async () => {
    const found = await fetch(`${gateway.url}/v1/usage/${response.headers.get('x-request-id')}`, { headers })
    receipt = (await found.json()) as Receipt
    return receipt.state === 'settled'
  })
  return receipt as Receipt
}

test.each(Object.entries(CALLS))('%s', async (_, call) => {
  const response = await send(call, ample)
  expect([response.status, await response.text()]).toEqual([200, expect.anything()])
  const { cost_usd, budgets } = await receiptOf(response)
  expect(Number(cost_usd)).toBeGreaterThan(0)
  const id = String(ample.budget)
  expect(budgets).toEqual([
    { id, kind: 'tag', value: TAG, hard: true, left_usd: expect.stringMatching(/^[45]\.\d+$/) },
  ] as never)
  const rejected = await send(call, reached)
  expect([rejected.status, await rejected.text()]).toEqual([
    rejected.headers.get('content-type')?.includes('json') ? 402 : 0,
    expect.stringMatching(/would exceed the budget of tag team=search: 0\.000000001 USD a month\. .* begins anew at /),
  ])
})

test('what is spent under it is what the requests cost', async () => {
  const sums = 'CAST(spent AS text) AS spent, CAST(held AS text) AS held'
  let row: Record<string, unknown> | undefined
  await eventually(async () => {
    row = (await askStore(gateway.home, `SELECT ${sums} FROM budget WHERE id = ${ample.budget}`))[0]
    return row?.held === '0'
  })
  const [costs] = await askStore(gateway.home, 'SELECT CAST(sum(cost) AS text) AS cost FROM request')
  expect(row?.spent).toBe(costs?.cost)
})

test('every kind of call is among them', () => {
  const paths = new Set(Object.values(CALLS).map(({ path }) => path))
  const kinds = new Set(
    Object.values(ROUTES)
      .filter(({ path }) => [...paths].some((each) => isAt(each, path)))
      .map(({ kind }) => kind),
  )
  const all = ['text', 'image', 'video', 'speech', 'embedding', 'transcription', 'rerank', 'moderation'] as const
  expect(all.filter((kind) => !kinds.has(kind))).toEqual([])
})

const isAt = (path: string, route: string): boolean => new RegExp(`^${route.replaceAll(/\{\w+\}/g, '.+')}$`).test(path)
