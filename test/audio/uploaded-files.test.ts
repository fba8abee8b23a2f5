// What is read of uploaded audio and of the upstream's report, where neither file nor format tells what the audio costs.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { wavOf } from '../support/requests/audio.ts'
import { flac, mp4, ogg, webm } from '../support/requests/audio-files.ts'
import { startAudioUpstream } from '../support/upstreams/audio-upstream.ts'

const upstream = startAudioUpstream()
let gateway: Gateway
beforeAll(async () => {
  const model = (id: string, price = '{ per_minute: 0.0043 }') =>
    `  - { id: ${id}, type: transcription, price: ${price}, routes: [{ upstream: a, model: ${id} }] }`
  gateway = await startGateway({
    config: [
      'server: { limits: { upload: 2MiB, spool: 8MiB } }',
      'upstreams:',
      `  - { id: a, dialect: chat, base_url: "${upstream.origin}/v1", keys: [secret-key-1], breaker: false }`,
      'models:',
      ...['plain', 'seconds', 'my-whisper'].map((id) => model(id)),
      '  - { id: small, type: transcription, price: { per_minute: 1 }, limits: { megabytes: 1 }, routes: [{ upstream: a, model: plain }] }',
      model('tokens', '{ input: 2.5, audio_input: 6, output: 10 }'),
    ].join('\n'),
  })
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  await gateway.stop()
  upstream.stop()
})

type Sending = { fields?: Record<string, string>; file: Blob; name?: string }

function send(secret: string, model: string, { fields = {}, file, name = 'a.wav' }: Sending): Promise<Response> {
  const form = new FormData()
  for (const [field, value] of Object.entries({ model, ...fields })) form.append(field, value)
  form.set('file', file, name)
  const headers = { authorization: `Bearer ${secret}` }
  return fetch(`${gateway.url}/v1/audio/transcriptions`, { method: 'POST', body: form, headers })
}

// Text alone would tell nothing of it.
const SRT = '1\n00:00:00,000 --> 00:00:01,250\nHello ->\n\n2\n01:02:02,000 --> 01:02:03,500\nworld\n\n'
const VTT = 'WEBVTT\n\n00:00:00.000 --> 00:00:01.250\nHello ->\n\n01:02:02.000 --> 01:02:03.500\nworld\n\n'
const HOUR = Buffer.alloc(1_000_000, 1)
test.each([
  ['text', 'my-whisper', 'verbose_json', 'Hello --> world\n', '0.266850834', 'text/plain'],
  ['srt', 'my-whisper', 'verbose_json', SRT, '0.266850834', 'text/plain'],
  ['vtt', 'my-whisper', 'verbose_json', VTT, '0.266850834', 'text/vtt'],
  ['text', 'tokens', 'json', 'Hello\n', '0.000255', 'text/plain'],
  ['text', 'seconds', 'json', 'Hello\n', '0.000645', 'text/plain'],
  ['srt', 'plain', 'srt', undefined, '0.00', undefined],
])('as %s by %s: what is reported in %s', async (format, model, asked, text, cost, type) => {
  const { secret, settled } = await newKey(gateway)
  const fields = { response_format: format, 'timestamp_granularities[]': 'word' }
  const response = await send(secret, model, { fields, file: new Blob([HOUR]) })
  expect(upstream.sent?.fields.slice(1, -1)).toEqual([['response_format', asked]])
  expect(response.headers.get('x-trivium-warnings')).toBe('timestamp_granularities;dropped')
  expect(response.status).toBe(text === undefined ? 502 : 200)
  if (text !== undefined) expect(await response.text()).toBe(text)
  if (type) expect(response.headers.get('content-type')).toStartWith(type)
  expect(await settled()).toMatchObject([{ cost_usd: cost }])
})

// At 0.0043 USD a minute; the upstream reports nothing.
test.each([
  ['webm', webm(3_000), '0.0043'],
  ['ogg', ogg(3_000), '0.0043'],
  ['m4a', mp4(1_406), '0.004299'],
  ['flac', flac(40), '0.0043'],
])('%s of a minute that says it lasts a moment', async (extension, bytes, cost) => {
  const { secret, settled } = await newKey(gateway)
  const fields = { response_format: 'text' }
  await send(secret, 'plain', { fields, file: new Blob([bytes]), name: `a.${extension}` })
  const [row] = await settled()
  expect(Number(row?.cost_usd)).toBeCloseTo(Number(cost), 5)
  expect(Number(row?.held_usd)).toBeGreaterThanOrEqual(Number(row?.cost_usd))
})

test.each([
  ['webm', webm(50)],
  ['ogg', ogg(25)],
  ['m4a', mp4(50)],
  ['flac', flac(1)],
  ['wav', wavOf(1)],
])('a file without name and type is called %s by its content', async (extension, bytes) => {
  const { secret } = await newKey(gateway)
  await send(secret, 'plain', { file: new Blob([bytes]), name: 'blob' })
  expect(upstream.sent?.fields.at(-1)).toMatchObject(['file', { name: `audio.${extension}`, bytes: bytes.length }])
})

function sendJson(secret: string, body: object): Promise<Response> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const path = '/v1/audio/transcriptions'
  return fetch(gateway.url + path, { method: 'POST', body: JSON.stringify(body), headers })
}
const WAV = { data: Buffer.from(wavOf(2.5)).toString('base64'), format: 'wav' }

test('audio in JSON is sent on as the same form, at the same price', async () => {
  const { secret, settled } = await newKey(gateway)
  const fields = { language: 'de', temperature: '0.5', 'include[]': 'logprobs' }
  expect((await send(secret, 'plain', { fields, file: new Blob([wavOf(2.5)]) })).status).toBe(200)
  const first = upstream.sent
  const more = { language: 'de', temperature: 0.5, include: ['logprobs'], prompt: null, provider: { order: ['x'] } }
  const response = await sendJson(secret, { model: 'plain', ...more, input_audio: WAV })
  expect([response.status, response.headers.get('x-trivium-warnings')]).toEqual([200, 'provider;no-price'])
  expect(await response.json()).toEqual({ text: 'Hello' })
  expect(upstream.sent).toEqual(first)
  const costs = (await settled()).map(({ cost_usd }) => cost_usd)
  expect([costs.length, new Set(costs).size]).toEqual([2, 1])
})

test.each<[string, object, status: number, error: object]>([
  ['no audio', { input_audio: undefined }, 400, { param: 'input_audio' }],
  ['no model', { model: undefined }, 400, { param: 'model' }],
  ['empty audio', { input_audio: { data: '' } }, 400, { param: 'input_audio.data' }],
  ['no base64', { input_audio: { data: '%%' } }, 400, { param: 'input_audio.data' }],
  ['a path', { input_audio: { ...WAV, format: '../a' } }, 400, { param: 'input_audio.format' }],
  ['a URL', { input_audio: { url: 'http://example.com/a.mp3' } }, 400, { param: 'input_audio.url' }],
  ['a text', { input_audio: { data: 'aGVsbG8=' } }, 415, { param: 'file' }],
  ['a file', { file: 'x' }, 400, { param: 'file' }],
  ['a header', { 'a"\r\nb': 1 }, 400, {}],
  ['another case', { Model: 'x' }, 400, { param: 'Model' }],
  ['many fields', { include: Array(200).fill('x') }, 413, {}],
  ['a large body', { input_audio: { data: 'A'.repeat(3 * 2 ** 20) } }, 413, {}],
  [
    'a large file',
    { model: 'small', input_audio: { data: 'A'.repeat(1.5 * 2 ** 20), format: 'wav' } },
    413,
    { param: 'file' },
  ],
])('JSON with %s is rejected, and free', async (_, body, status, error) => {
  const { secret, rows } = await newKey(gateway)
  const before = upstream.calls
  const response = await sendJson(secret, { model: 'plain', input_audio: WAV, ...body })
  expect([response.status, await response.json()]).toMatchObject([status, { error }])
  expect([await rows(), upstream.calls - before]).toEqual([[], 0])
})
