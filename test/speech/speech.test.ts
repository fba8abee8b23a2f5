// Speech through a running gateway: the embedded model by the official SDK and the AI SDK, upstreams of every shape, and every outcome
// that costs or must not.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { caughtUp } from '../support/gateway/caught-up.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { secondsOf } from '../support/requests/audio.ts'
import { type ScriptedSpeech, startScriptedSpeech } from '../support/upstreams/scripted-speech.ts'

let upstream: ScriptedSpeech
let gateway: Gateway
beforeAll(async () => {
  upstream = startScriptedSpeech()
  const at = (path: string) => `base_url: "${upstream.url}${path}", keys: [k], breaker: false`
  const model = (id: string, route: string, price = 'per_million_characters: 12.345678', more = '') =>
    `  - { id: ${id}, type: speech, price: { ${price} }, routes: [{ upstream: ${route} }${more}] }`
  const tokens = 'input: 0.6, audio_output: 12'
  gateway = await startGateway({
    config: [
      'sandbox: true',
      'upstreams:',
      `  - { id: a, dialect: chat, ${at('/v1')} }`,
      `  - { id: b, dialect: chat, ${at('/v1')}, max_concurrency: 2 }`,
      `  - { id: g, dialect: generate-content, ${at('/v1beta')} }`,
      `  - { id: c, kind: siliconflow, ${at('/v1')} }`,
      '  - { id: s, kind: sandbox, dialect: generate-content }',
      'models:',
      model('embedded', 's, model: sandbox-speech', tokens),
      model('good', 'a, model: good'),
      model('no-instructions', 'c, model: good'),
      model('second', 'a, model: busy', undefined, ', { upstream: b, model: good, priority: 2 }'),
      model('late', 'a, model: error-event', undefined, ', { upstream: b, model: good, priority: 2 }'),
      model('broken', 'a, model: broken'),
      model('html', 'a, model: html'),
      model('cut', 'a, model: cut'),
      model('slow', 'a, model: slow'),
      model('waiting', 'a, model: waiting'),
      model('endless', 'b, model: endless'),
      model('minutes', 'a, model: good', 'per_minute: 0.01'),
      model('tokens', 'a, model: good', tokens),
      model('silent', 'a, model: no-events', tokens),
      model('gemini', 'g, model: tts', tokens),
      model('gemini-blocked', 'g, model: blocked', tokens),
      model('either', 'g, model: tts', undefined, ', { upstream: a, model: good, priority: 2 }'),
    ].join('\n'),
  })
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  await gateway.stop()
  await upstream.stop()
})

type More = RequestInit & { headers?: Record<string, string> }
const ask = (secret: string, body: object, more: More = {}) =>
  fetch(`${gateway.url}/v1/audio/speech`, {
    method: 'POST',
    ...more,
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...more.headers },
    body: JSON.stringify({ voice: 'alloy', ...body }),
  })
/** The events of a stream. */
const eventsOf = (text: string) =>
  text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.replace(/^data: /, '')) as { type: string; audio?: string; usage?: object })
const audioIn = (text: string) => Buffer.concat(eventsOf(text).map(({ audio }) => Buffer.from(audio ?? '', 'base64')))

describe('the embedded model by the official SDK', () => {
  const FORMATS = [
    ['mp3', 'audio/mpeg', 1.56],
    ['opus', 'audio/opus', 1.5],
    ['aac', 'audio/aac', 1.579],
    ['flac', 'audio/flac', 1.5],
    // 5 + 5 characters of 60 ms.
    ['wav', 'audio/wav', 0.6],
    ['pcm', 'audio/pcm', 0.6],
  ] as const
  test.each(FORMATS)('%s', async (response_format, type, seconds) => {
    const { secret, settled } = await newKey(gateway)
    const openai = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    const request = { model: 'sandbox-speech', input: 'Hello world', voice: 'alloy' as const, response_format }
    const plain = await openai.audio.speech.create(request)
    const bytes = new Uint8Array(await plain.arrayBuffer())
    expect(plain.headers.get('content-type')).toBe(type)
    expect(secondsOf(bytes, response_format === 'pcm' ? 24_000 : undefined)).toBeCloseTo(seconds, 3)
    const streamed = await openai.audio.speech.create({ ...request, voice: { id: 'voice_1' }, stream_format: 'sse' })
    const text = await streamed.text()
    expect(streamed.headers.get('content-type')).toStartWith('text/event-stream')
    expect(new Uint8Array(audioIn(text))).toEqual(bytes)
    expect(eventsOf(text).at(-1)).toMatchObject({ type: 'speech.audio.done', usage: { input_tokens: 3 } })
    expect(await settled()).toMatchObject(
      [1, 2].map(() => ({ outcome: 'completed', cost_usd: '0.000165', receipt: { units: { characters: 11 } } })),
    )
  })
})

describe('bytes of an upstream', () => {
  test.each([
    ['good', ['good']],
    ['second', ['busy', 'good']],
    ['html', ['html']],
  ])('model %s', async (model, called) => {
    const { secret, settled } = await newKey(gateway)
    upstream.calls.length = 0
    const body = { input: 'Hello world', response_format: 'pcm', lang_code: 'en', volume_multiplier: 1.5 }
    const response = await ask(secret, { model, ...body })
    const isHtml = model === 'html'
    const { byteLength } = await response.arrayBuffer()
    expect([response.status, byteLength]).toEqual(isHtml ? [502, expect.any(Number)] : [200, 48_000])
    // What the gateway does not know is the upstream's own.
    expect(upstream.calls).toEqual(called.map((name) => ({ voice: 'alloy', ...body, model: name })))
    expect(await settled()).toMatchObject([
      isHtml ? { outcome: 'failed', cost_usd: '0.00' } : { outcome: 'completed', cost_usd: '0.000135803' },
    ])
  })

  test('leave as they come', async () => {
    const { secret, settled } = await newKey(gateway)
    const response = await ask(secret, { model: 'slow', input: 'ab', response_format: 'pcm' })
    const reader = response.body?.getReader()
    // The upstream goes on until it is told to finish.
    expect((await reader?.read())?.done).toBe(false)
    upstream.finish()
    while ((await reader?.read())?.done === false);
    expect(await settled()).toMatchObject([{ outcome: 'completed', cost_usd: '0.000024692' }])
  })

  test('an error before the audio is another attempt, one within it ends the stream and is charged', async () => {
    const { secret, settled } = await newKey(gateway)
    const sse = { input: 'ab', stream_format: 'sse' }
    expect(audioIn(await (await ask(secret, { model: 'late', ...sse })).text())).toHaveLength(48_000)
    const broken = await ask(secret, { model: 'cut', ...sse })
    expect(broken.status).toBe(200)
    expect(await broken.text().catch(() => 'broken')).toBe('broken')
    expect(await settled()).toMatchObject([
      { outcome: 'cut', cost_usd: '0.000024692' },
      { outcome: 'completed', cost_usd: '0.000024692' },
    ])
  })

  test('a failure is free', async () => {
    const { secret, settled } = await newKey(gateway)
    const response = await ask(secret, { model: 'broken', input: 'a' })
    expect([response.status, await response.json()]).toMatchObject([502, { error: { code: 'upstream_error' } }])
    expect(await settled()).toMatchObject([{ outcome: 'failed', cost_usd: '0.00' }])
  })
})

describe('prices by what came', () => {
  test.each<[string, object, string, object]>([
    // One second at 0.01 USD for a minute.
    ['minutes', { response_format: 'pcm' }, '0.000166667', { audio_seconds: 1 }],
    ['minutes', { response_format: 'pcm', stream_format: 'sse' }, '0.000166667', { audio_seconds: 1 }],
    // No upstream of this test sends FLAC: 10 characters take two thirds of a second.
    ['minutes', { response_format: 'flac' }, '0.000111167', { audio_seconds: 0.667 }],
    ['tokens', { response_format: 'pcm' }, '0.000246', { input: 10, audio_output: 20 }],
    ['tokens', { response_format: 'pcm', stream_format: 'sse' }, '0.000246', { input: 10, audio_output: 20 }],
    // An upstream without events: 20 tokens for a second, and a token for four characters.
    ['silent', { response_format: 'pcm' }, '0.0002418', { input: 3, audio_output: 20 }],
    ['gemini', { response_format: 'pcm' }, '0.0003042', { input: 7, audio_output: 25 }],
  ])('%s %j', async (model, more, cost, units) => {
    const { secret, settled } = await newKey(gateway)
    const response = await ask(secret, { model, input: '0123456789', ...more })
    await response.arrayBuffer()
    expect(await settled()).toMatchObject([{ outcome: 'completed', cost_usd: cost, receipt: { units } }])
  })
})

describe('a speech model of generateContent', () => {
  test('PCM becomes WAV, raw PCM or events', async () => {
    const { secret } = await newKey(gateway)
    const body = { model: 'gemini', input: 'Hello', instructions: 'Say cheerfully:', speed: 2, lang_code: 'en' }
    upstream.calls.length = 0
    const wav = await ask(secret, body)
    const bytes = await wav.bytes()
    expect([wav.headers.get('content-type'), secondsOf(bytes), bytes.length]).toEqual(['audio/wav', 1, 48_044])
    expect(wav.headers.get('x-trivium-warnings')?.split(', ')).toEqual([
      'response_format;changed',
      'speed;dropped',
      'lang_code;dropped',
      'voice;changed',
    ])
    expect(upstream.calls).toEqual([
      {
        contents: [{ role: 'user', parts: [{ text: 'Say cheerfully:\n\nHello' }] }],
        generationConfig: {
          responseModalities: ['AUDIO'],
          speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
        },
      },
    ])
    const pcm = await ask(secret, { ...body, voice: 'Puck', response_format: 'pcm' })
    expect(pcm.headers.get('content-type')).toBe('audio/pcm')
    expect(Buffer.from(await pcm.bytes())).toEqual(Buffer.from(bytes.subarray(44)))
    const events = await (await ask(secret, { ...body, response_format: 'wav', stream_format: 'sse' })).text()
    expect(audioIn(events)).toEqual(Buffer.from(bytes))
    expect(eventsOf(events).at(-1)).toEqual({
      type: 'speech.audio.done',
      usage: { input_tokens: 7, output_tokens: 25, total_tokens: 32 },
    })
  })

  test('instructions are held, and charged where the upstream reads them', async () => {
    const { secret, settled } = await newKey(gateway)
    const body = { input: '.', instructions: 'Say: '.padEnd(999, 'x'), response_format: 'wav' }
    for (const model of ['good', 'either', 'no-instructions'])
      await (await ask(secret, { model, ...body })).arrayBuffer()
    expect(await settled()).toMatchObject([
      { cost_usd: '0.000012346', held_usd: '0.012345678', receipt: { units: { characters: 1 } } },
      { cost_usd: '0.012345678', held_usd: '0.012345678', receipt: { units: { characters: 1_000 } } },
      { cost_usd: '0.012345678', held_usd: '0.012345678', receipt: { units: { characters: 1_000 } } },
    ])
  })

  test('the embedded model in that dialect', async () => {
    const { secret, settled } = await newKey(gateway)
    const response = await ask(secret, { model: 'embedded', input: 'Hello world', response_format: 'wav' })
    expect(secondsOf(await response.bytes())).toBeCloseTo(0.6, 5)
    expect(await settled()).toMatchObject([
      { cost_usd: '0.0001818', receipt: { units: { input: 3, audio_output: 15 } } },
    ])
  })

  test('what it cannot do is asked of another upstream, or rejected before anything is held', async () => {
    const { secret, rows, settled } = await newKey(gateway)
    const response = await ask(secret, { model: 'gemini', input: 'a', voice: { id: 'voice_1' } })
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param: 'voice.id' } }])
    expect(await rows()).toEqual([])
    const other = await ask(secret, { model: 'either', input: 'a', response_format: 'mp3' })
    expect([other.status, await settled()]).toMatchObject([200, [{ outcome: 'completed' }]])
    expect([other.headers.get('content-type'), other.headers.get('x-trivium-warnings')]).toEqual(['audio/mpeg', null])
    await other.arrayBuffer()
  })

  test.each(['mp3', 'opus', 'aac', 'flac'])('%s is WAV, which says so', async (response_format) => {
    const { secret, settled } = await newKey(gateway)
    const response = await ask(secret, { model: 'gemini', input: 'a', response_format })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/wav'])
    expect(response.headers.get('x-trivium-warnings')).toBe('response_format;changed, voice;changed')
    expect(Buffer.from(await response.arrayBuffer()).toString('latin1', 0, 4)).toBe('RIFF')
    expect(await settled()).toMatchObject([{ outcome: 'completed' }])
  })

  test('a text that it does not speak is free', async () => {
    const { secret, settled } = await newKey(gateway)
    const response = await ask(secret, { model: 'gemini-blocked', input: 'a', response_format: 'wav' })
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { code: 'content_policy_violation' } },
    ])
    expect(await settled()).toMatchObject([{ outcome: 'failed', cost_usd: '0.00' }])
  })
})

test('a client that disconnects pays once for what was begun, before the first byte or behind it', async () => {
  const { secret, settled, rows } = await newKey(gateway)
  for (const isBegun of [true, false]) {
    upstream.arrived = Promise.withResolvers()
    const client = new AbortController()
    const model = { model: isBegun ? 'slow' : 'waiting', input: 'ab', response_format: 'pcm' }
    const asked = ask(secret, model, { signal: client.signal }).catch(() => undefined)
    if (isBegun) await (await asked)?.body?.getReader().read()
    else await upstream.arrived.promise
    client.abort()
    await caughtUp(gateway)
    upstream.finish()
    await asked
    expect((await settled())[0]).toMatchObject({ outcome: 'client_disconnected', cost_usd: '0.000024692' })
  }
  expect(await rows()).toHaveLength(2)
})

test('a repeated request gets the same bytes, and is charged once', async () => {
  const { secret, settled } = await newKey(gateway)
  upstream.calls.length = 0
  const again = () => ask(secret, { model: 'good', input: 'a' }, { headers: { 'idempotency-key': 'one' } })
  const [first, second] = [await again(), await again()]
  expect(await second.bytes()).toEqual(await first.bytes())
  expect([second.headers.get('content-type'), upstream.calls.length]).toEqual(['audio/mpeg', 1])
  expect(await settled()).toHaveLength(1)
})

test.each<[object, number, string | null, string]>([
  [{ model: 'good' }, 400, 'input', 'input is required'],
  [{ model: 'good', input: ' ' }, 400, 'input', 'input is required'],
  [{ input: 'a' }, 400, 'model', 'model is required'],
  [{ model: 'good', input: 'a', voice: 1 }, 400, 'voice', 'voice must be a string'],
  [{ model: 'good', input: 'a', voice: { id: 'voice_1' } }, 400, 'voice.id', ''],
  [{ model: 'good', input: 'a', voice: { name: 'x' } }, 400, 'voice', 'voice must be a string, or an object with id'],
  [{ model: 'good', input: 'a', speed: 9 }, 400, 'speed', 'speed must be a number between 0.25 and 4'],
  [{ model: 'good', input: 'a', response_format: 'ogg' }, 400, 'response_format', 'must be one of mp3'],
  [{ model: 'good', input: 'a', stream_format: 'x' }, 400, 'stream_format', 'must be one of audio, sse'],
  [{ model: 'good', input: 'a', text: 'b'.repeat(300) }, 400, 'text', 'text is not a field of this endpoint'],
  [{ model: 'good', input: 'a', Input: 'b' }, 400, 'Input', 'Write input'],
  [{ model: 'sandbox-speech', input: 'a', voice: null }, 400, 'voice', "Missing required parameter: 'voice'"],
  [{ model: 'sandbox-speech', input: 'é🙂'.repeat(2_049) }, 400, 'input', 'at most 4096 characters'],
  [{ model: 'sandbox-text', input: 'a' }, 400, 'model', "The model 'sandbox-text' generates text."],
  [{ model: 'none', input: 'a' }, 404, 'model', 'does not exist'],
])('%j', async (body, status, param, message) => {
  const { secret, rows } = await newKey(gateway)
  const response = await ask(secret, body)
  expect([response.status, await response.json()]).toMatchObject([
    status,
    { error: { param, message: expect.stringContaining(message) } },
  ])
  for (const { cost_usd } of await rows()) expect(cost_usd).toBe('0.00')
})

test('other bodies, other endpoints, and no funds', async () => {
  const { secret, rows } = await newKey(gateway, '0.0001')
  upstream.calls.length = 0
  const statuses = [
    await ask(secret, { model: 'good', input: 'Hello world' }),
    await ask(secret, { model: 'good', input: 'a' }, { headers: { 'content-type': 'text/plain' } }),
    await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'good', messages: [{ role: 'user', content: 'a' }] }),
    }),
  ]
  expect(statuses.map(({ status }) => status)).toEqual([402, 415, 400])
  expect(await statuses[2]?.json()).toMatchObject({
    error: { message: expect.stringContaining('POST /v1/audio/speech') },
  })
  expect([upstream.calls.length, await rows()]).toEqual([0, []])
})

test('readers that do not read keep neither an upstream nor others from being served', async () => {
  const [greedy, polite] = [await newKey(gateway), await newKey(gateway)]
  const body = { model: 'endless', input: 'ab', response_format: 'pcm' }
  const client = new AbortController()
  // An account has its share of the two slots of this upstream.
  const stalled = Array.from({ length: 3 }, () =>
    ask(greedy.secret, body, { signal: client.signal }).catch(() => undefined),
  )
  const response = await ask(polite.secret, { ...body, input: 'cd' }, { signal: AbortSignal.timeout(20_000) })
  expect([response.status, (await response.body?.getReader().read())?.value?.length]).toEqual([200, expect.any(Number)])
  client.abort()
  upstream.stopEndless()
  await Promise.all(stalled)
  await Promise.all([greedy.settled(), polite.settled()])
})

test('models are listed with price and limits', async () => {
  const { secret } = await newKey(gateway)
  const show = async (id: string) =>
    (await fetch(`${gateway.url}/v1/models/${id}`, { headers: { authorization: `Bearer ${secret}` } })).json()
  expect(await show('sandbox-speech')).toMatchObject({
    type: 'speech',
    price: { per_million_characters: '15.00' },
    limits: { characters: 4_096 },
  })
  expect(await show('tokens')).toMatchObject({
    price: { input: '0.60', audio_output: '12.00' },
    limits: { characters: null },
  })
})
