// Transcriptions and translations through a running gateway: every outcome that costs or must not, and what upstreams are sent.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI, { toFile } from 'openai'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { caughtUp } from '../support/gateway/caught-up.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { spooledFiles } from '../support/gateway/spooled-files.ts'
import { wavOf } from '../support/requests/audio.ts'
import { delta, startAudioUpstream } from '../support/upstreams/audio-upstream.ts'

/** Nothing in it says how long it lasts. */
const UNKNOWN = Buffer.alloc(40_000, 1)
const upstream = startAudioUpstream()
let gateway: Gateway
beforeAll(async () => {
  const at = `base_url: "${upstream.origin}/v1", keys: [secret-key-1], breaker: false`
  const minutes = '{ per_minute: 0.0043 }'
  const tokens = '{ input: 2.5, audio_input: 6, output: 10 }'
  const model = (id: string, price = minutes, more = '') =>
    `  - { id: ${id}, type: transcription, price: ${price}, routes: [{ upstream: a, model: ${id} }${more}] }`
  gateway = await startGateway({
    config: [
      'sandbox: true',
      'server: { limits: { upload: 2MiB, spool: 8MiB } }',
      'upstreams:',
      `  - { id: a, dialect: chat, ${at} }`,
      `  - { id: b, dialect: chat, ${at} }`,
      `  - { id: g, dialect: generate-content, base_url: "${upstream.origin}/v1beta", keys: [g-key-123] }`,
      'models:',
      ...[
        'plain',
        'seconds',
        'verbose',
        'absurd',
        'days',
        'gated',
        'broken',
        'page',
        'no-text',
        'rejected',
        'mistral',
      ].map((id) => model(id)),
      ...['tokens', 'cut', 'cut-early', 'error-event', 'texts'].map((id) => model(id, tokens)),
      '  - { id: unreported, type: transcription, price: { input: 2.5, audio_input: 6, output: 10 }, routes: [{ upstream: a, model: plain }] }',
      model('busy', minutes, ', { upstream: b, model: plain, priority: 2 }'),
      '  - { id: small, type: transcription, price: { per_minute: 1 }, limits: { megabytes: 1 }, routes: [{ upstream: a, model: plain }] }',
      ...['gemini', 'blocked'].map(
        (id) =>
          `  - { id: ${id}, type: transcription, price: ${tokens}, routes: [{ upstream: g, model: gemini-${id} }] }`,
      ),
    ].join('\n'),
  })
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  expect(spooledFiles(gateway.home)).toEqual([])
  await gateway.stop()
  upstream.stop()
})

type Sending = { fields?: Record<string, string>; file?: Blob | null; name?: string; path?: string; more?: RequestInit }

function send(secret: string, model: string, { fields = {}, file, name = 'a.wav', path, more = {} }: Sending = {}) {
  const form = new FormData()
  form.set('model', model)
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  if (file !== null) form.set('file', file ?? new Blob([wavOf(2.5)], { type: 'audio/wav' }), name)
  const headers = { authorization: `Bearer ${secret}`, ...(more.headers as object) }
  return fetch(`${gateway.url}/v1/audio/${path ?? 'transcriptions'}`, { method: 'POST', body: form, ...more, headers })
}

describe('the embedded model', () => {
  const client = async () => {
    const key = await newKey(gateway)
    const openai = new OpenAI({ apiKey: key.secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    return { ...key, audio: openai.audio, file: await toFile(wavOf(6), 'speech.wav') }
  }
  const model = 'sandbox-transcription'
  const TEXT = '[sandbox] The lighthouse keeper counts the ships at night. The tide is highest at noon.'

  test('every format, by the official SDK', async () => {
    const { audio, file, settled } = await client()
    const { transcriptions } = audio
    expect(await transcriptions.create({ model, file })).toEqual({
      text: TEXT,
      usage: { type: 'duration', seconds: 6 },
    })
    expect(await transcriptions.create({ model, file, response_format: 'text' })).toBe(`${TEXT}\n`)
    expect(await transcriptions.create({ model, file, response_format: 'srt' })).toContain(
      '2\n00:00:04,000 --> 00:00:06,000\nThe tide is highest at noon.',
    )
    expect(await transcriptions.create({ model, file, response_format: 'vtt' })).toStartWith(
      'WEBVTT\n\n00:00:00.000 --> 00:00:04.000\n',
    )
    const granularities = ['word', 'segment'] as const
    const verbose = await transcriptions.create({
      model,
      file,
      response_format: 'verbose_json',
      timestamp_granularities: [...granularities],
      language: 'en',
      prompt: 'ships',
      temperature: 0.2,
    })
    expect([verbose.duration, verbose.segments?.length, verbose.words?.length]).toEqual([6, 2, 14])
    const diarized = await transcriptions.create({
      model,
      file,
      response_format: 'diarized_json',
      known_speaker_names: ['Ann', 'Bo'],
      chunking_strategy: { type: 'server_vad', threshold: 0.5 },
    })
    expect(diarized).toMatchObject({ duration: 6, segments: [{ speaker: 'Ann' }, { speaker: 'Bo' }] })
    expect(await audio.translations.create({ model, file })).toMatchObject({ text: TEXT })
    const rows = await settled()
    expect(rows).toHaveLength(7)
    for (const row of rows)
      expect(row).toMatchObject({ outcome: 'completed', cost_usd: '0.0006', receipt: { units: { audio_seconds: 6 } } })
  })

  test('streamed, by the official SDK', async () => {
    const { audio, file, settled } = await client()
    const events = await Array.fromAsync(await audio.transcriptions.create({ model, file, stream: true }))
    expect(events.map((event) => ('delta' in event ? event.delta : '')).join('')).toBe(TEXT)
    expect(events.at(-1)).toMatchObject({ type: 'transcript.text.done', text: TEXT })
    const spoken = { model, file, stream: true, response_format: 'diarized_json' } as const
    const segments = await Array.fromAsync(await audio.transcriptions.create(spoken))
    expect(segments.map(({ type }) => type)).toEqual([
      ...(['transcript.text.segment', 'transcript.text.segment', 'transcript.text.done'] as const),
    ])
    expect(await settled()).toMatchObject([{ cost_usd: '0.0006' }, { cost_usd: '0.0006' }])
  })

  test('is listed with price and limits', async () => {
    const { secret } = await newKey(gateway)
    const headers = { authorization: `Bearer ${secret}` }
    const shown = await (await fetch(`${gateway.url}/v1/models/${model}`, { headers })).json()
    expect(shown).toMatchObject({ type: 'transcription', price: { per_minute: '0.006' }, limits: { megabytes: 25 } })
  })
})

describe('what is charged', () => {
  // 2.5 s of WAV at 0.0043 USD a minute, unless the upstream reports something else.
  test.each<[string, Sending, string, Record<string, number>]>([
    ['plain', {}, '0.000179167', { audio_seconds: 2.5 }],
    ['seconds', {}, '0.000645', { audio_seconds: 9 }],
    ['verbose', { fields: { response_format: 'verbose_json' } }, '0.000607089', { audio_seconds: 8.471 }],
    ['absurd', {}, '0.000179167', { audio_seconds: 2.5 }],
    // 40,000 bytes of anything: 10 s, of which 40 s are held.
    ['plain', { file: new Blob([UNKNOWN]) }, '0.000716667', { audio_seconds: 10 }],
    ['seconds', { file: new Blob([UNKNOWN]) }, '0.000645', { audio_seconds: 9 }],
    // No file of 40,000 bytes lasts for days.
    ['days', { file: new Blob([UNKNOWN]) }, '0.011466667', { audio_seconds: 160 }],
    ['tokens', {}, '0.000255', { input: 10, audio_input: 30, output: 5 }],
    ['unreported', {}, '0.00017', { input: 0, audio_input: 25, output: 2 }],
    ['busy', {}, '0.000179167', { audio_seconds: 2.5 }],
  ])('%s, %j', async (model, sending, cost, units) => {
    const { secret, settled } = await newKey(gateway)
    const response = await send(secret, model, sending)
    expect([response.status, await response.json()]).toMatchObject([200, { text: 'Hello' }])
    const [row] = await settled()
    expect(row).toMatchObject({ outcome: 'completed', cost_usd: cost, receipt: { units } })
    expect(Number(row?.held_usd)).toBeGreaterThanOrEqual(Number(row?.cost_usd) / 4)
  })

  test.each([
    ['broken', 502],
    ['page', 502],
    ['no-text', 502],
    ['rejected', 400],
    ['blocked', 400],
  ])('%s: a failure is free', async (model, status) => {
    const { secret, settled } = await newKey(gateway)
    expect((await send(secret, model)).status).toBe(status)
    expect(await settled()).toMatchObject([{ outcome: 'failed', cost_usd: '0.00' }])
  })

  test('a client that disconnects pays once, and gets the transcript by its idempotency key', async () => {
    const { secret, settled } = await newKey(gateway)
    upstream.gate = Promise.withResolvers()
    const client = new AbortController()
    const before = upstream.calls
    const headers = { 'idempotency-key': 'one' }
    const sending = { fields: { response_format: 'text' }, more: { headers } }
    send(secret, 'gated', { ...sending, more: { headers, signal: client.signal } }).catch(() => {})
    while (upstream.calls === before) await Bun.sleep(5)
    client.abort()
    await caughtUp(gateway)
    upstream.gate.resolve()
    expect(await settled()).toMatchObject([{ outcome: 'client_disconnected', cost_usd: '0.000179167' }])
    const again = await send(secret, 'gated', sending)
    expect([again.headers.get('content-type'), again.headers.get('idempotent-replayed')]).toEqual([
      'text/plain; charset=utf-8',
      'true',
    ])
    expect(await again.text()).toContain('Hello')
    expect([upstream.calls - before, (await settled()).length]).toEqual([1, 1])
    // Another file is another request.
    const other = await send(secret, 'gated', { ...sending, file: new Blob([wavOf(3)]) })
    expect(other.status).toBe(422)
  })
})

describe('streams', () => {
  const stream = { fields: { stream: 'true' } }
  test.each([
    ['tokens', ['Hello', ' world'], 'Hello world', '0.000255'],
    ['texts', ['Hello', ' world'], 'Hello world', '0.00018'],
    ['plain', ['Hello'], 'Hello', '0.000179167'],
    ['mistral', ['Hello', ' world'], 'Hello world', '0.000645'],
    ['gemini', ['Hello', ' world'], 'Hello world', '0.00076'],
  ])('of %s', async (model, deltas, text, cost) => {
    const { secret, settled } = await newKey(gateway)
    const response = await send(secret, model, stream)
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const events = eventsIn(await response.text())
    expect(events.flatMap(({ delta = [] }) => delta)).toEqual(deltas)
    expect(events.at(-1)).toMatchObject({ type: 'transcript.text.done', text })
    expect(await settled()).toMatchObject([{ outcome: 'completed', cost_usd: cost }])
  })

  test('a repeated request gets the same events, and is charged once', async () => {
    const { secret, settled } = await newKey(gateway)
    const before = upstream.calls
    const again = { ...stream, more: { headers: { 'idempotency-key': 'two' } } }
    const first = await (await send(secret, 'tokens', again)).text()
    const second = await send(secret, 'tokens', again)
    expect(await second.text()).toBe(first)
    expect([second.headers.get('content-type'), upstream.calls - before, (await settled()).length]).toEqual([
      'text/event-stream; charset=utf-8',
      1,
      1,
    ])
  })

  test.each([
    ['cut', 'cut', 'upstream_error'],
    ['error-event', 'failed', 'upstream_error'],
  ])('%s: what was heard before is charged, and the client is told', async (model, outcome, code) => {
    const { secret, settled } = await newKey(gateway)
    const text = await (await send(secret, model, stream)).text()
    expect(eventsIn(text)).toMatchObject([delta('Hello'), { error: { code } }])
    expect(text).not.toContain('[DONE]')
    // 25 audio tokens and 2 of text.
    expect(await settled()).toMatchObject([{ outcome, cost_usd: '0.00017' }])
  })

  test('a break before the first event is a status, and free', async () => {
    const { secret, settled } = await newKey(gateway)
    expect((await send(secret, 'cut-early', stream)).status).toBe(502)
    expect(await settled()).toMatchObject([{ outcome: 'cut', cost_usd: '0.00' }])
  })
})

type ClientEvent = { type?: string; delta?: string; text?: string; error?: object }
const eventsIn = (text: string): ClientEvent[] =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data))

describe('what upstreams get', () => {
  test('the form of the client, with another name of the file', async () => {
    const { secret } = await newKey(gateway)
    const fields = { prompt: 'Zoë', 'timestamp_granularities[]': 'word', vad_filter: 'true', language: '' }
    await send(secret, 'plain', { fields, name: 'C:\\private "talk".MP3', path: 'translations' })
    expect(upstream.sent).toEqual({
      path: '/v1/audio/translations',
      key: 'Bearer secret-key-1',
      fields: [
        ['model', 'plain'],
        ['prompt', 'Zoë'],
        ['timestamp_granularities[]', 'word'],
        ['vad_filter', 'true'],
        ['file', { name: 'audio.mp3', type: 'audio/mpeg', bytes: 40_044 }],
      ],
    })
  })

  test('samples of voices, which are long fields', async () => {
    const { secret } = await newKey(gateway)
    const sample = `data:audio/wav;base64,${'A'.repeat(700_000)}`
    await send(secret, 'plain', { fields: { 'known_speaker_references[]': sample } })
    expect(upstream.sent?.fields[1]).toEqual(['known_speaker_references[]', sample])
  })

  test('of generateContent: the audio and an instruction', async () => {
    const { secret, settled } = await newKey(gateway)
    const fields = { language: 'de', prompt: 'Zoë', temperature: '0.5', chunking_strategy: 'auto' }
    const response = await send(secret, 'gemini', { fields })
    expect(await response.json()).toEqual({
      text: 'Hello world',
      usage: {
        type: 'tokens',
        input_tokens: 140,
        output_tokens: 6,
        total_tokens: 146,
        input_token_details: { audio_tokens: 100, text_tokens: 40 },
      },
    })
    expect(response.headers.get('x-trivium-warnings')).toBe('chunking_strategy;dropped')
    const [audio, instruction] = upstream.sent?.json?.contents[0]?.parts ?? []
    expect(Buffer.from(audio?.inlineData.data ?? '', 'base64')).toEqual(wavOf(2.5))
    expect([audio?.inlineData.mimeType, upstream.sent?.json?.generationConfig.temperature]).toEqual(['audio/wav', 0.5])
    expect(instruction?.text).toMatch(/^Transcribe .*'de'.*\nZoë$/s)
    expect([upstream.sent?.path, upstream.sent?.key]).toEqual([
      '/v1beta/models/gemini-gemini:generateContent',
      'g-key-123',
    ])
    // 40 x 2.5 + 100 x 6 + 6 x 10 millionths
    expect(await settled()).toMatchObject([{ cost_usd: '0.00076' }])
    expect(
      await (await send(secret, 'gemini', { path: 'translations', fields: { response_format: 'text' } })).text(),
    ).toBe('Hello world\n')
    expect(upstream.sent?.json?.contents[0]?.parts[1].text).toStartWith('Translate ')
  })
})

test.each<[string, Sending & { model?: string }, number, object]>([
  ['no file', { file: null }, 400, { param: 'file' }],
  ['no model', { model: '' }, 400, { param: 'model' }],
  ['an empty file', { file: new Blob([]) }, 400, { param: 'file' }],
  ['a field as a file', { file: null, fields: { file: 'text' } }, 400, { param: 'file' }],
  ['a text file', { file: new Blob(['hello'], { type: 'text/plain' }), name: 'a.txt' }, 415, { param: 'file' }],
  ['an unknown format', { fields: { response_format: 'xml' } }, 400, { param: 'response_format' }],
  [
    'speakers of a translation',
    { path: 'translations', fields: { response_format: 'diarized_json' } },
    400,
    { param: 'response_format' },
  ],
  [
    'timestamps of generateContent',
    { model: 'gemini', fields: { response_format: 'srt' } },
    400,
    { param: 'response_format' },
  ],
  ['a temperature', { fields: { temperature: 'hot' } }, 400, { param: 'temperature' }],
  ['stream', { fields: { stream: 'perhaps' } }, 400, { param: 'stream' }],
  ['audio elsewhere', { fields: { url: 'http://example.com/a.mp3' } }, 400, { param: 'url' }],
  ['a name in another case', { fields: { Model: 'tokens' } }, 400, { param: 'Model' }],
  ['a large file', { model: 'small', file: new Blob([Buffer.alloc(1024 * 1024 + 1)]) }, 413, { param: 'file' }],
  ['a text model', { model: 'sandbox-text' }, 400, { message: expect.stringContaining('POST /v1/chat/completions') }],
  ['no form', { more: { body: '{}', headers: { 'content-type': 'text/plain' } } }, 415, {}],
])('%s is rejected, and free', async (_, { model = 'plain', ...sending }, status, error) => {
  const { secret, rows } = await newKey(gateway)
  const before = upstream.calls
  const response = await send(secret, model, sending)
  expect([response.status, await response.json()]).toMatchObject([status, { error }])
  expect([await rows(), upstream.calls - before]).toEqual([[], 0])
})

test('a transcription model asked for text names its endpoints', async () => {
  const { secret } = await newKey(gateway)
  const body = JSON.stringify({ model: 'plain', messages: [{ role: 'user', content: 'Hello' }] })
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const response = await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body })
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('/v1/audio/transcriptions')])
})

test('without the funds nothing is read on or sent', async () => {
  const { secret, rows } = await newKey(gateway, '0.00001')
  const before = upstream.calls
  expect((await send(secret, 'plain')).status).toBe(402)
  expect([upstream.calls - before, await rows()]).toEqual([0, []])
})

test('an account whose uploads wait for their upstream leaves disk space to others', async () => {
  const [greedy, polite] = [await newKey(gateway), await newKey(gateway)]
  const large = { file: new Blob([wavOf(75)]) }
  upstream.gate = Promise.withResolvers()
  const before = upstream.calls
  const first = send(greedy.secret, 'gated', large)
  while (upstream.calls === before) await Bun.sleep(5)
  const second = await send(greedy.secret, 'gated', large)
  expect([second.status, second.headers.get('retry-after')]).toEqual([503, '5'])
  expect((await send(polite.secret, 'plain', large)).status).toBe(200)
  upstream.gate.resolve()
  expect((await first).status).toBe(200)
  expect([await greedy.settled(), await polite.settled()].map(({ length }) => length)).toEqual([1, 1])
})
