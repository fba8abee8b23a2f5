// Which speech models and voices clients can choose from: those of the vendor, those that the configuration names, and only for keys that
// may call the model.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { CONTENT_VOICES } from '@trivium/protocol/dialects/generate-content/speech/voices.ts'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { type ScriptedSpeech, startScriptedSpeech } from '../support/upstreams/scripted-speech.ts'

let upstream: ScriptedSpeech
let gateway: Gateway
beforeAll(async () => {
  upstream = startScriptedSpeech()
  const at = (path: string) => `base_url: "${upstream.url}${path}", keys: [k], breaker: false`
  const model = (id: string, routes: string, more = '') =>
    `  - { id: ${id}, type: speech, price: { per_minute: 6 }, routes: [${routes}]${more} }`
  gateway = await startGateway({
    config: [
      'upstreams:',
      `  - { id: o, kind: openai, ${at('/v1')} }`,
      `  - { id: g, kind: gemini, ${at('/v1beta')} }`,
      `  - { id: local, dialect: chat, ${at('/v1')} }`,
      'models:',
      model('tts', '{ upstream: o, model: tts-1-hd }'),
      model('mini', '{ upstream: o, model: gpt-4o-mini-tts }'),
      model('gemini', '{ upstream: g, model: tts }'),
      model('mixed', '{ upstream: g, model: tts }, { upstream: o, model: tts-1, priority: 2 }'),
      model('unknown', '{ upstream: local, model: good }'),
      model('half', '{ upstream: g, model: tts }, { upstream: local, model: good, priority: 2 }'),
      model('named', '{ upstream: local, model: good }', ', limits: { voices: [af_bella, bm_george] }'),
      model('narrow', '{ upstream: g, model: tts }', ', limits: { voices: [Kore, Puck] }'),
      model('renamed', '{ upstream: g, model: tts }', ', limits: { voices: [nova, echo] }'),
      model(
        'both',
        '{ upstream: local, model: good }, { upstream: g, model: tts, priority: 2 }',
        ', limits: { voices: [af_bella, Puck] }',
      ),
    ].join('\n'),
  })
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  await gateway.stop()
  await upstream.stop()
})

type Listed = { id: string; name: string }
const list = async (secret: string, path: string) => {
  const response = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${secret}` } })
  expect(response.status).toBe(200)
  return (await response.json()) as {
    models: (Listed & { voices: string[] })[]
    voices: (Listed & { models: string[] })[]
  }
}

const OLDER = ['alloy', 'ash', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer']
test.each([
  ['tts', OLDER],
  ['mini', [...OLDER, 'ballad', 'cedar', 'marin', 'verse'].toSorted()],
  ['gemini', [...CONTENT_VOICES]],
  // Another vendor has stand-ins for them.
  ['mixed', OLDER],
  ['unknown', []],
  ['half', []],
  ['named', ['af_bella', 'bm_george']],
  ['narrow', ['Kore', 'Puck']],
])('the voices of %s', async (id, voices) => {
  const { secret } = await newKey(gateway)
  const { models } = await list(secret, '/v1/audio/models')
  expect(models.find((each) => each.id === id)).toEqual({ id, name: id, voices })
  const listed = (await list(secret, '/v1/audio/voices')).voices
  expect(
    listed
      .filter(({ models }) => models.includes(id))
      .map((each) => each.id)
      .toSorted(),
  ).toEqual(voices)
})

test('Gemini has thirty voices', () => {
  expect(new Set(CONTENT_VOICES).size).toBe(30)
})

test('a voice is listed once, and costs nothing to list', async () => {
  const { secret, account, rows } = await newKey(gateway)
  const { voices } = await list(secret, '/v1/audio/voices')
  expect(new Set(voices.map(({ id }) => id)).size).toBe(voices.length)
  expect(voices.find(({ id }) => id === 'Kore')).toEqual({ id: 'Kore', name: 'Kore', models: ['gemini', 'narrow'] })
  expect(await rows()).toEqual([])
  expect(await account()).toMatchObject({ balance_usd: '10.00', held_usd: '0.00' })
})

test('a key that is limited to some models sees their voices alone', async () => {
  const { secret } = await newKey(gateway, '10', { models: 'named' })
  expect(await list(secret, '/v1/audio/models')).toEqual({
    models: [{ id: 'named', name: 'named', voices: ['af_bella', 'bm_george'] }],
  } as never)
  expect((await list(secret, '/v1/audio/voices')).voices.map(({ id }) => id)).toEqual(['af_bella', 'bm_george'])
})

test.each(['/v1/audio/models', '/v1/audio/voices'])('%s needs a key', async (path) => {
  const response = await fetch(gateway.url + path)
  expect([response.status, await response.json()]).toMatchObject([401, { error: { code: 'invalid_api_key' } }])
})

const speakers = (...names: string[]) => ({
  multiSpeakerVoiceConfig: {
    speakerVoiceConfigs: names.map((voiceName, at) => ({
      speaker: `S${at}`,
      voiceConfig: { prebuiltVoiceConfig: { voiceName } },
    })),
  },
})
const content = (speechConfig: object) => ({
  contents: [{ parts: [{ text: 'Hello' }] }],
  generationConfig: { responseModalities: ['AUDIO'], speechConfig },
})
const speech = (model: string, voice: unknown) => ['/v1/audio/speech', { model, input: 'Hello', voice }] as const
const narrow = '/v1beta/models/narrow:generateContent'
test.each([
  [...speech('named', 'af_bella'), 200],
  [...speech('named', undefined), 200],
  [...speech('named', 'alloy'), 400],
  [...speech('named', { id: 'voice_1' }), 400],
  [...speech('narrow', 'Zephyr'), 400],
  [...speech('narrow', 'af_bella'), 400],
  [...speech('narrow', { id: 'alloy' }), 400],
  [...speech('narrow', 'constructor'), 400],
  [narrow, content(speakers('alloy')), 400],
  [narrow, content(speakers('Kore', 'Puck')), 200],
  [narrow, content(speakers('Kore', 'Zephyr')), 400],
  [narrow, content({ voice_config: { prebuilt_voice_config: { voice_name: 'Zephyr' } } }), 400],
])('configured voices are the only ones: %s %j is %d', async (path, body, status) => {
  const { secret } = await newKey(gateway)
  const calls = upstream.calls.length
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  expect(response.status).toBe(status)
  expect(upstream.calls.length - calls).toBe(status === 200 ? 1 : 0)
  if (status === 400) expect(text).toMatch(/voice must be one of (af_bella, bm_george|Kore, Puck) for this model/)
})

test.each([
  ['narrow', 'alloy', 'Kore'],
  ['narrow', 'verse', 'Puck'],
  // None of the two is like it.
  ['narrow', 'onyx', 'Kore'],
  ['renamed', 'nova', 'Leda'],
  ['renamed', 'alloy', 'Leda'],
  // The upstream of lower priority is the only one that has another voice for it.
  ['both', 'verse', 'Puck'],
])('%s: a usual voice of OpenAI is spoken with one that is configured: %s with %s', async (model, voice, sent) => {
  const { secret } = await newKey(gateway)
  upstream.calls.length = 0
  const response = await fetch(`${gateway.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, input: 'Hello', voice, response_format: 'wav' }),
  })
  await response.arrayBuffer()
  expect([response.status, response.headers.get('x-trivium-warnings')]).toEqual([200, 'voice;changed'])
  expect(JSON.stringify(upstream.calls)).toContain(`"voiceName":"${sent}"`)
})
