// Google's SDKs choose the API version: /v1, /v1alpha or /v1beta. The gateway recognizes them by their credential.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { GoogleGenAI } from '@google/genai'
import { type SandboxGateway, startSandboxGateway } from '../support/gateway/sandbox-gateway.ts'

let gateway: SandboxGateway
beforeAll(async () => {
  gateway = await startSandboxGateway()
})
afterAll(() => gateway.stop())

const MODEL = 'over-chat'
const VERSIONS = [['v1'], ['v1alpha'], ['v1beta']]

describe.each(VERSIONS)('the JavaScript SDK with apiVersion %s', (apiVersion) => {
  const models = (apiKey = gateway.key) =>
    new GoogleGenAI({ apiKey, apiVersion, httpOptions: { baseUrl: gateway.url } }).models

  test('lists and shows models in its own format', async () => {
    const names: string[] = []
    for await (const { name } of await models().list()) names.push(name ?? '')
    expect(names).toContain(`models/${MODEL}`)
    expect((await models().get({ model: MODEL })).name).toBe(`models/${MODEL}`)
  })

  test('generates, streamed and not', async () => {
    const asked = { model: MODEL, contents: 'Say 7 words' }
    const whole = (await models().generateContent(asked)).text
    expect(whole).toStartWith('[sandbox] ')
    let streamed = ''
    for await (const chunk of await models().generateContentStream(asked)) streamed += chunk.text ?? ''
    expect(streamed).toBe(whole ?? '')
  })

  test('counts tokens', async () => {
    expect((await models().countTokens({ model: MODEL, contents: 'Hello there.' })).totalTokens).toBeWithin(3, 20)
  })

  test('reads errors: a wrong key, an unknown model, a method of other models', async () => {
    const wrong = { code: 401, status: 'UNAUTHENTICATED', message: expect.stringContaining('API key not valid') }
    const asked = { model: 'nope', contents: 'hi' }
    const calls: [() => Promise<unknown>, object][] = [
      [() => models('sk-0123456789abcdef0123').generateContent(asked), wrong],
      [() => models('sk-0123456789abcdef0123').list(), wrong],
      [() => models().generateContent(asked), { code: 404, status: 'NOT_FOUND' }],
      [() => models().get(asked), { code: 404, status: 'NOT_FOUND' }],
      [() => models().countTokens(asked), { code: 404, status: 'NOT_FOUND' }],
      [
        () => models().embedContent({ ...asked, model: MODEL }),
        { code: 400, message: expect.stringContaining('generates text') },
      ],
    ]
    for (const [call, error] of calls) {
      const thrown = await call().catch((error: unknown) => error)
      expect(JSON.parse(thrown instanceof Error ? thrown.message : '{}')).toMatchObject({ error })
    }
  })
})

describe('other credentials', () => {
  const call = async (method: string, path: string, headers: Record<string, string>) => {
    const body = method === 'POST' ? JSON.stringify({ contents: [{ parts: [{ text: 'hi' }] }] }) : null
    const response = await fetch(gateway.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const list = (headers: Record<string, string>, query = '') => call('GET', `/v1/models${query}`, headers)

  test.each(
    ['/v1', '/v1alpha'].flatMap((version) => [[version, 'x-gen-api-key'] as const, [version, ''] as const]),
  )('%s with %p is the 404 of a wrong base URL, in the format of the protocol', async (version, header) => {
    const headers = header === '' ? {} : { [header]: gateway.key }
    const answer = await call('POST', `${version}/models/${MODEL}:generateContent`, headers)
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 404, status: 'NOT_FOUND' } } })
  })

  test('a key in the query selects the vendor’s protocol', async () => {
    const generated = await call('POST', `/v1/models/${MODEL}:generateContent?key=${gateway.key}`, {})
    expect(generated).toMatchObject({ status: 200, body: { candidates: [expect.anything()] } })
    expect(await list({}, `?key=${gateway.key}`)).toMatchObject({ status: 200, body: { models: expect.anything() } })
  })

  test('Authorization takes precedence at the list, and x-gen-api-key works as before', async () => {
    const chat = { status: 200, body: { object: 'list' } }
    expect(await list({ authorization: `Bearer ${gateway.key}`, 'x-goog-api-key': 'sk-x' })).toMatchObject(chat)
    expect(await list({ 'x-gen-api-key': gateway.key })).toMatchObject(chat)
    expect(await list({ 'x-api-key': gateway.key, 'anthropic-version': '2023-06-01' })).toMatchObject({ status: 200 })
  })

  test('a wrong method gets the allowed ones, for the path as it was called', async () => {
    const answer = await call('POST', '/v1/models', { 'x-goog-api-key': gateway.key })
    expect(answer).toMatchObject({ status: 405, body: { error: { message: '/v1/models takes GET, not POST.' } } })
  })
})
