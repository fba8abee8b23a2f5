// Speech models of generateContent in the vendor's own words: one voice or several, whole or as a stream, by its own clients.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { GoogleGenAI } from '@google/genai'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { type ScriptedSpeech, startScriptedSpeech } from '../support/upstreams/scripted-speech.ts'

let upstream: ScriptedSpeech
let gateway: Gateway
beforeAll(async () => {
  upstream = startScriptedSpeech()
  const at = (path: string) => `base_url: "${upstream.url}${path}", keys: [k], breaker: false`
  const model = (id: string, route: string, price: string) =>
    `  - { id: ${id}, type: speech, price: { ${price} }, routes: [{ upstream: ${route} }] }`
  gateway = await startGateway({
    config: [
      'upstreams:',
      `  - { id: a, dialect: chat, ${at('/v1')} }`,
      `  - { id: g, dialect: generate-content, ${at('/v1beta')} }`,
      'models:',
      model('tokens', 'g, model: tts', 'input: 0.6, audio_output: 12'),
      model('characters', 'g, model: tts', 'per_million_characters: 1000'),
      model('minutes', 'g, model: tts', 'per_minute: 6'),
      model('blocked', 'g, model: blocked', 'input: 0.6, audio_output: 12'),
      model('chat', 'a, model: good', 'per_minute: 6'),
    ].join('\n'),
  })
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  await gateway.stop()
  await upstream.stop()
})

const speaker = (name: string, voiceName: string) => ({
  speaker: name,
  voiceConfig: { prebuiltVoiceConfig: { voiceName } },
})
const TWO = { multiSpeakerVoiceConfig: { speakerVoiceConfigs: [speaker('Joe', 'Kore'), speaker('Jane', 'Puck')] } }
const clientOf = (apiKey: string) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: gateway.url } })
const bytesIn = (data: string | undefined) => Buffer.from(data ?? '', 'base64')

// 7 x 0.6 + 25 x 12 millionths; 12 characters of text; half a second and what it takes in minutes.
test.each([
  ['tokens', { input: 7, audio_output: 25 }],
  ['characters', { characters: 12 }],
  ['minutes', { audio_seconds: expect.any(Number) }],
])('two voices by the official client, whole and streamed, with a price by %s', async (model, units) => {
  const { secret, settled } = await newKey(gateway)
  const { models } = clientOf(secret)
  const asked = { model, contents: 'Joe: a\nJane:', config: { responseModalities: ['AUDIO'], speechConfig: TWO } }
  const whole = await models.generateContent(asked)
  const { inlineData } = whole.candidates?.[0]?.content?.parts?.[0] ?? {}
  expect(inlineData?.mimeType).toStartWith('audio/L16')
  const pieces: Buffer[] = []
  for await (const { candidates } of await models.generateContentStream(asked))
    for (const part of candidates?.[0]?.content?.parts ?? []) pieces.push(bytesIn(part.inlineData?.data))
  expect(Buffer.concat(pieces)).toEqual(bytesIn(inlineData?.data))
  expect(upstream.calls.at(-1)).toMatchObject({
    generationConfig: { responseModalities: ['AUDIO'], speechConfig: TWO },
  })
  const rows = await settled()
  expect(rows).toMatchObject([{ outcome: 'completed' }, { outcome: 'completed' }])
  for (const row of rows) expect(row.receipt?.units).toEqual(units)
  expect(new Set(rows.map(({ cost_usd }) => cost_usd)).size).toBe(1)
})

test('a text that is not spoken is free, streamed or not', async () => {
  const { secret, settled } = await newKey(gateway)
  const { models } = clientOf(secret)
  const asked = { model: 'blocked', contents: 'a', config: { responseModalities: ['AUDIO'] } }
  for (const call of [models.generateContent(asked), models.generateContentStream(asked)])
    expect(await call.catch((error: { status: number }) => error.status)).toBe(400)
  expect(await settled()).toMatchObject([{ cost_usd: '0.00' }, { cost_usd: '0.00' }])
})

test('what other upstreams are not asked in, and files of a private network, are rejected', async () => {
  const { secret, rows } = await newKey(gateway)
  const ask = (model: string, parts: object[]) =>
    fetch(`${gateway.url}/v1beta/models/${model}:generateContent`, {
      method: 'POST',
      headers: { 'x-goog-api-key': secret, 'content-type': 'application/json' },
      body: JSON.stringify({ contents: [{ parts }] }),
    })
  const other = await ask('chat', [{ text: 'a' }])
  expect([other.status, await other.text()]).toEqual([400, expect.stringContaining('POST /v1/audio/speech')])
  const file = await ask('tokens', [{ text: 'a' }, { fileData: { fileUri: 'http://169.254.169.254/' } }])
  expect([file.status, await rows()]).toEqual([400, []])
})
