// Requests of every kind that the pages of usage and wallet show: several prices, streams, fallbacks, warnings, failures.
import { chat } from '../gateway/gateway.ts'

/** Members of a configuration file. Keys in the group `third` pay fractions of the smallest amount. */
export const VARIED_MODELS = `
  - { id: gpt-y, routes: [{ upstream: demo, model: sandbox-text }], price: { input: 2, output: 8, cached_input: 0.5, reasoning: 9, tiers: { priority: 2 } }, limits: { context: 100000, max_output: 4000 } }
  - { id: flaky, routes: [{ upstream: demo, model: "sandbox-text:status=503", priority: 1 }, { upstream: spare, model: sandbox-text, priority: 2 }], price: { input: 3, output: 15 } }
  - { id: broken, routes: [{ upstream: spare, model: "sandbox-text:status=400" }], price: { input: 1.25, output: 10 } }
  - { id: free, routes: [{ upstream: demo, model: sandbox-text }], price: { input: 0, output: 0 } }
  - { id: painter, type: image, routes: [{ upstream: spare, model: sandbox-image }], price: { per_image: 0.04 } }
  - { id: filmer, type: video, routes: [{ upstream: spare, model: sandbox-video }], price: { per_second: 0.05 }, limits: { seconds: [1, 12] } }`
export const VARIED_UPSTREAMS =
  '[{ id: demo, kind: sandbox, breaker: false }, { id: spare, kind: sandbox, breaker: false }]'
export const THIRD_GROUP = '{ id: third, models: [gpt-y, flaky, painter], multiplier: 0.333333, console: true }'

/** Requests of the chat dialect; `painter` takes images, `filmer` videos. */
const KINDS: readonly { model: string; content: string; more?: object }[] = [
  { model: 'gpt-y', content: 'Tell me about lighthouses.' },
  { model: 'gpt-y', content: 'cached 7 tokens and think 12 words about the sea', more: { stream: true } },
  { model: 'flaky', content: 'Hello' },
  { model: 'gpt-y', content: 'say 300 words', more: { max_tokens: 11 } },
  { model: 'gpt-y', content: 'be quick', more: { service_tier: 'priority' } },
  { model: 'flaky', content: 'be quick', more: { service_tier: 'flex' } },
  { model: 'gpt-y', content: 'be filtered' },
]
const UNPRICED: typeof KINDS = [
  { model: 'broken', content: 'Hello' },
  { model: 'free', content: 'Hello' },
]

/** The id of the request. `index` chooses its kind and its length. */
export async function sendText(url: string, secret: string, index: number, kinds = KINDS): Promise<string> {
  const { model, content, more } = kinds[index % kinds.length] ?? { model: '', content: '' }
  const messages = [{ role: 'user', content: `${content} ${'x'.repeat((index * 13) % 400)}` }]
  const response = await chat(url, secret, { model, messages, ...more })
  const text = await response.text()
  // A busy machine sheds load: such a request leaves no trace.
  if (response.status === 503 && text.includes('overloaded')) return sendText(url, secret, index, kinds)
  return response.headers.get('x-request-id') ?? ''
}

/** One that fails, and one that costs nothing. */
export const sendUnpriced = (url: string, secret: string) =>
  Promise.all(UNPRICED.map((_, index) => sendText(url, secret, index, UNPRICED)))

export async function sendImage(url: string, secret: string): Promise<string> {
  const body = { model: 'painter', prompt: 'A lighthouse', size: '64x64', n: 2 }
  const response = await post(`${url}/v1/images/generations`, secret, body)
  await response.text()
  return response.headers.get('x-request-id') ?? ''
}

/** It runs for about two seconds after the answer. */
export async function sendVideo(url: string, secret: string): Promise<void> {
  const content = [{ type: 'text', text: 'A lighthouse --dur 1' }]
  const response = await post(`${url}/api/v3/contents/generations/tasks`, secret, { model: 'filmer', content })
  await response.text()
}

export type RunningRequest = { id: string; disconnect(): void }

/** A stream that goes on until the client disconnects. */
export async function startStream(url: string, secret: string): Promise<RunningRequest> {
  const client = new AbortController()
  const messages = [{ role: 'user', content: 'say 3000 words pace 100 ms' }]
  const response = await post(`${url}/v1/chat/completions`, secret, { model: 'gpt-y', stream: true, messages }, client)
  const reader = response.body?.getReader()
  await reader?.read()
  const readOn = async () => {
    while ((await reader?.read())?.done === false);
  }
  // A stream that is not read is disconnected once its reader is garbage.
  void readOn().catch(() => {})
  return { id: response.headers.get('x-request-id') ?? '', disconnect: () => client.abort() }
}

function post(url: string, secret: string, body: object, { signal } = new AbortController()): Promise<Response> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal })
}
