// What Open WebUI sends to the services behind its settings for documents and audio, written down here and replayed: the fields and
// headers of its Python clients, and only what it reads of the responses.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { parseBuffer } from 'music-metadata'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { wavOf } from '../support/requests/audio.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.stop())

/** With ENABLE_FORWARD_USER_INFO_HEADERS; names are percent-encoded. */
const USER = {
  'X-OpenWebUI-User-Name': 'Ada%20Lovelace',
  'X-OpenWebUI-User-Id': '6f0c4c1e-0d0c-4f0e-9a53-2f4a4a1d7f2b',
  'X-OpenWebUI-User-Email': 'ada@example.com',
  'X-OpenWebUI-User-Role': 'user',
}
const REQUESTS = { 'User-Agent': 'python-requests/2.32.5', 'Accept-Encoding': 'gzip, deflate, br, zstd', Accept: '*/*' }
const AIOHTTP = { 'User-Agent': 'Python/3.11 aiohttp/3.13.2', 'Accept-Encoding': 'gzip, deflate, br', Accept: '*/*' }

const ROWS = ['a low house', 'two tall towers', 'a tall tree']

type Sent = { headers: Record<string, string>; body: string | Buffer<ArrayBuffer> }
const json = (client: Record<string, string>, body: object): Sent => ({
  headers: { ...client, ...USER, 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

/** As requests writes a file that has a name and no type: the part says nothing of its content. */
function form(fields: Record<string, string>): Sent {
  const boundary = '2d5d1f3a4c9e4b0f8a7d6c5b4a392817'
  const head = ([name, value]: [string, string]) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="0c6a1f0e.wav"\r\n\r\n`
  const parts = [Object.entries(fields).map(head).join(''), file, wavOf(1.5), `\r\n--${boundary}--\r\n`]
  return {
    headers: { ...REQUESTS, ...USER, 'Content-Type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat(parts.map((part) => Buffer.from(part))),
  }
}

const post = async (secret: string, path: string, { headers, body }: Sent) => {
  const authorization = `Bearer ${secret}`
  const response = await fetch(gateway.url + path, { method: 'POST', headers: { ...headers, authorization }, body })
  expect(response.status).toBe(200)
  return response
}

test('documents are ranked by an external reranker: it wants a score for each of them', async () => {
  const { secret, settled } = await newKey(gateway)
  const sent = json(REQUESTS, { model: 'sandbox-rerank', query: 'tall towers', documents: ROWS, top_n: ROWS.length })
  const { results } = (await (await post(secret, '/v1/rerank', sent)).json()) as {
    results: { index: number; relevance_score: number }[]
  }
  const scores = results.toSorted((one, other) => one.index - other.index).map((each) => each.relevance_score)
  expect(scores.map((score) => score.toFixed(2))).toEqual(['0.00', '0.82', '0.41'])
  expect(await settled()).toMatchObject([{ model: 'sandbox-rerank', outcome: 'completed' }])
})

test.each([
  ['documents', ROWS, { input_type: 'passage' }],
  ['a query', ['tall towers'], {}],
])('%s become vectors, in the order of the texts', async (_, input, prefix) => {
  const { secret, settled } = await newKey(gateway)
  const sent = json(AIOHTTP, { input, model: 'sandbox-embedding', ...prefix })
  const { data } = (await (await post(secret, '/v1/embeddings', sent)).json()) as { data: { embedding: number[] }[] }
  expect(data.map(({ embedding }) => embedding.every(Number.isFinite))).toEqual(input.map(() => true))
  expect(new Set(data.map(({ embedding }) => embedding.join())).size).toBe(input.length)
  expect(await settled()).toMatchObject([{ model: 'sandbox-embedding', outcome: 'completed' }])
})

test.each([{}, { speed: 1.2, response_format: 'mp3' }])('text to speech is an MP3, with %j', async (params) => {
  const { secret, settled } = await newKey(gateway)
  const sent = json(AIOHTTP, { input: 'Good morning.', voice: 'alloy', model: 'sandbox-speech', ...params })
  const response = await post(secret, '/v1/audio/speech', sent)
  expect(response.headers.get('content-type')).toBe('audio/mpeg')
  const { format } = await parseBuffer(await response.bytes(), 'audio/mpeg', { duration: true })
  expect([format.container, (format.duration ?? 0) > 0]).toEqual(['MPEG', true])
  expect(await settled()).toMatchObject([{ model: 'sandbox-speech', outcome: 'completed' }])
})

// A rejected language is tried again without one.
test.each<Record<string, string>>([{ language: 'de' }, {}])('speech to text: a recording, with %j', async (more) => {
  const { secret, settled } = await newKey(gateway)
  const response = await post(secret, '/v1/audio/transcriptions', form({ model: 'sandbox-transcription', ...more }))
  const { text } = (await response.json()) as { text: string }
  expect(text).toBeString()
  expect(text.length).toBeGreaterThan(0)
  expect(await settled()).toMatchObject([{ model: 'sandbox-transcription', outcome: 'completed' }])
})

test('speech to text: a recording in JSON, as its setting of the request format says', async () => {
  const { secret, settled } = await newKey(gateway)
  const audio = { data: Buffer.from(wavOf(1.5)).toString('base64'), format: 'wav' }
  const sent = json(REQUESTS, { model: 'sandbox-transcription', input_audio: audio, language: 'en' })
  const { text } = (await (await post(secret, '/v1/audio/transcriptions', sent)).json()) as { text: string }
  expect(text.length).toBeGreaterThan(0)
  expect(await settled()).toMatchObject([{ model: 'sandbox-transcription', outcome: 'completed' }])
})

test('models are listed for its settings', async () => {
  const { secret } = await newKey(gateway)
  const headers = { ...AIOHTTP, ...USER, authorization: `Bearer ${secret}` }
  const { data } = (await (await fetch(`${gateway.url}/v1/models`, { headers })).json()) as { data: { id: string }[] }
  const ids = ['sandbox-embedding', 'sandbox-rerank', 'sandbox-speech', 'sandbox-transcription']
  expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(ids))
})

test.each([
  '/v1/audio/models',
  '/v1/audio/voices',
])('%s, asked without a key, is an error: it knows some by itself', async (path) => {
  const response = await fetch(gateway.url + path, { headers: REQUESTS })
  expect([response.status, await response.json()]).toMatchObject([401, { error: { code: 'invalid_api_key' } }])
})

test('the settings page for audio lists the speech models and their voices', async () => {
  const { secret } = await newKey(gateway)
  const get = async (path: string) => {
    const response = await fetch(gateway.url + path, { headers: { ...REQUESTS, authorization: `Bearer ${secret}` } })
    expect(response.status).toBe(200)
    return (await response.json()) as Record<string, { id: string; name: string }[]>
  }
  expect((await get('/v1/audio/models')).models?.map(({ id }) => id)).toEqual(['sandbox-speech'])
  const voices = (await get('/v1/audio/voices')).voices ?? []
  expect(Object.fromEntries(voices.map(({ id, name }) => [id, name]))).toMatchObject({ alloy: 'alloy', nova: 'nova' })
})
