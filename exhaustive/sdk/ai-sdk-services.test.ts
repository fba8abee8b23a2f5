// The AI SDK's rankings, speech and transcriptions, in every version that has them.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { MAJORS } from '../../court/clients/ai-sdk.ts'
import { load } from '../../court/clients/load.ts'
import { newKey } from '../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { secondsOf, wavOf } from '../../test/support/requests/audio.ts'

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway({
    config: [
      'sandbox: true',
      'upstreams:',
      '  - { id: s, kind: sandbox, dialect: generate-content }',
      'models:',
      '  - { id: gemini, type: speech, price: { per_million_characters: 15 }, routes: [{ upstream: s, model: sandbox-speech }] }',
    ].join('\n'),
  })
})
afterAll(() => gateway.stop())

describe('rankings', () => {
  type Asked = {
    baseURL: string
    apiKey: string
    query: string
    maxRetries: number
    documents: unknown[]
    topN?: number
  }
  type Ranking = { ranking: { originalIndex: number; document: unknown }[] }
  type AiSdk = { rerank(options: object): Promise<Ranking> }
  type Cohere = { createCohere(options: object): { reranking(model: string): object } }
  const DOCUMENTS = ['a low house', 'two tall towers', 'a tall tree']

  test.each([6, 7])('AI SDK %i, of texts and of objects', async (major) => {
    const { rerank } = await load<AiSdk>(`ai-${major}`)
    const { createCohere } = await load<Cohere>(`@ai-sdk/cohere-${major - 3}`)
    const ask = (asked: Asked) => rerank({ ...asked, model: createCohere(asked).reranking('sandbox-rerank') })
    const { secret, settled } = await newKey(gateway)
    const options = { baseURL: `${gateway.url}/v2`, apiKey: secret, query: 'tall towers', maxRetries: 0 }
    const { ranking } = await ask({ ...options, documents: DOCUMENTS, topN: 2 })
    expect(ranking.map(({ originalIndex, document }) => [originalIndex, document])).toEqual([
      [1, DOCUMENTS[1]],
      [2, DOCUMENTS[2]],
    ])
    const { ranking: ofObjects } = await ask({ ...options, documents: DOCUMENTS.map((text) => ({ text })) })
    expect(ofObjects.map(({ originalIndex }) => originalIndex)).toEqual([1, 2, 0])
    expect(await settled()).toMatchObject([{ cost_usd: '0.002' }, { cost_usd: '0.002' }])
  })
})

describe('speech', () => {
  test.each(MAJORS)('AI SDK %i', async (major) => {
    const { secret, settled } = await newKey(gateway)
    type Speech = { generateSpeech?: Generate; experimental_generateSpeech?: Generate }
    type Generate = (options: object) => Promise<{ audio: { uint8Array: Uint8Array; format: string } }>
    type Provider = { createOpenAI(options: object): { speech(model: string): unknown } }
    const { generateSpeech, experimental_generateSpeech: generate = generateSpeech } = await load<Speech>(`ai-${major}`)
    const { createOpenAI } = await load<Provider>(`@ai-sdk/openai-${major - 3}`)
    const model = createOpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1` }).speech('sandbox-speech')
    const result = await generate?.({
      model,
      text: 'Hello',
      voice: 'nova',
      outputFormat: 'mp3',
      speed: 1.5,
      maxRetries: 0,
    })
    expect([result?.audio.format, secondsOf(result?.audio.uint8Array ?? new Uint8Array())]).toEqual([
      'mp3',
      expect.closeTo(1.56, 3),
    ])
    expect(await settled()).toMatchObject([{ cost_usd: '0.000075' }])
  })
})

test('speech of generateContent by AI SDK 7: in its own words, and at the endpoint of OpenAI in a format that it lacks', async () => {
  type Speech = { experimental_generateSpeech(options: object): Promise<{ audio: { uint8Array: Uint8Array } }> }
  type Provider = (options: object) => { speech(model: string): object }
  const { secret, settled } = await newKey(gateway)
  const { experimental_generateSpeech: speak } = await load<Speech>('ai-7')
  const { createGoogleGenerativeAI: google } = await load<{ createGoogleGenerativeAI: Provider }>('@ai-sdk/google-4')
  const { createOpenAI: openai } = await load<{ createOpenAI: Provider }>('@ai-sdk/openai-4')
  const asked = { text: 'Hello', voice: 'Kore', maxRetries: 0 }
  const own = google({ apiKey: secret, baseURL: `${gateway.url}/v1beta` }).speech('gemini')
  expect((await speak({ ...asked, model: own })).audio.uint8Array.length).toBeGreaterThan(1_000)
  const other = openai({ apiKey: secret, baseURL: `${gateway.url}/v1` }).speech('gemini')
  const { audio } = await speak({ ...asked, model: other, outputFormat: 'mp3' })
  expect(Buffer.from(audio.uint8Array).toString('latin1', 0, 4)).toBe('RIFF')
  expect(await settled()).toMatchObject([{ cost_usd: '0.000075' }, { cost_usd: '0.000075' }])
})

describe('transcriptions', () => {
  type Transcribed = { text: string; durationInSeconds: number; segments: unknown[] }
  type Transcriber = { experimental_transcribe(options: object): Promise<Transcribed> }
  type OpenAiProvider = { createOpenAI(options: object): { transcription(model: string): object } }
  const TEXT = '[sandbox] The lighthouse keeper counts the ships at night. The tide is highest at noon.'
  const model = 'sandbox-transcription'

  test.each(MAJORS.map((major) => [major]))('by the AI SDK %d', async (major) => {
    const { secret } = await newKey(gateway)
    const { experimental_transcribe: transcribe } = await load<Transcriber>(`ai-${major}`)
    const { createOpenAI } = await load<OpenAiProvider>(`@ai-sdk/openai-${major - 3}`)
    const openai = createOpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1` })
    const options = { openai: { responseFormat: 'verbose_json', timestampGranularities: ['segment'] } }
    const asked = { model: openai.transcription(model), audio: wavOf(6), maxRetries: 0, providerOptions: options }
    const result = await transcribe(asked)
    expect([result.text, result.durationInSeconds, result.segments.length]).toEqual([TEXT, 6, 2])
  })
})
