// Google's SDK, and plain requests of its protocol, with an image model of the same protocol: bytes pass through both ways, and
// what is made is charged.
import { describe, expect, test } from 'bun:test'
import { GoogleGenAI, Modality } from '@google/genai'
import { newKey } from '../support/gateway/accounts.ts'
import { caughtUp } from '../support/gateway/caught-up.ts'
import { useScriptedImages } from '../support/upstreams/scripted-images.ts'

const scripted = useScriptedImages()

type Asked = { model?: string; verb?: string; query?: string; headers?: Record<string, string>; signal?: AbortSignal }
const ask = (
  secret: string,
  body: string,
  { model = 'flat', verb = 'generateContent', query = '', headers, ...init }: Asked = {},
) =>
  fetch(`${scripted.gateway.url}/v1beta/models/${model}:${verb}${query}`, {
    method: 'POST',
    headers: { 'x-goog-api-key': secret, 'content-type': 'application/json', ...headers },
    body,
    ...init,
  })
const STREAM = { verb: 'streamGenerateContent', query: '?alt=sse' }
const sse = (...events: string[]) =>
  new Response(events.map((event) => `data: ${event}\r\n\r\n`).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  })
const json = (text: string) => new Response(text, { headers: { 'content-type': 'application/json' } })

/** Odd spacing, numbers and unknown members show whether the bytes are the same. */
const REQUEST = `{ "contents": [
  {"role":"user","parts":[{"text":"a c\\u0061t"}]},
  {"role":"model","parts":[{"text":"thinking","thought":true,"thoughtSignature":"c2ln"},
    {"inlineData":{"mimeType":"image/png","data":"AAAA"},"thoughtSignature":"c2lnMg=="}]},
  {"role":"user","parts":[{"text":"now blue"}]}],
 "generationConfig":{"temperature":1.0,"seed":12345678901234567890,"responseModalities":["IMAGE"],
  "thinkingConfig":{"includeThoughts":true},"imageConfig":{"aspectRatio":"7:1","imageSize":"512","personGeneration":"ALLOW_ALL",
  "outputMimeType":"image/jpeg"}}, "safetySettings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"OFF"}],
 "someday": {"x":[1e3]}}`

const part = (data: string) => `{"inlineData":{"mimeType":"image/png","data":"${data}"},"thoughtSignature":"c2ln"}`
const reply = (parts: string, more = ',"finishReason": "STOP"') => `{
  "candidates": [ {"content": {"parts": [${parts}], "role": "model"}${more},
    "groundingMetadata": {"webSearchQueries": ["x"]}, "index": 0} ],
  "modelVersion" : "flat", "responseId": "r1", "usageMetadata": ${USAGE}
}
`
const USAGE =
  '{"promptTokenCount":10,"candidatesTokenCount":1300,"totalTokenCount":1310,"thoughtsTokenCount":0,"candidatesTokensDetails":[{"modality":"IMAGE","tokenCount":1290}]}'
/** Sent as it is, the reply has the upstream's name of the model. */
const asUpstream = (text: string) => text.replaceAll('"flat"', '"nano-1"')

describe('unstreamed', () => {
  test('request and reply pass through byte for byte', async () => {
    const { secret, settled } = await newKey(scripted.gateway)
    const body = reply(
      `{"text":"First.","thought":true},{"text":"Here:"},${part(scripted.base64)},{"text":"and"},${part(scripted.base64)}`,
    )
    scripted.answer = () => json(asUpstream(body))
    const response = await ask(secret, REQUEST)
    expect([response.status, response.headers.get('x-trivium-warnings')]).toEqual([200, null])
    expect(await response.text()).toBe(body)
    expect(scripted.seen).toEqual([
      { path: '/v1beta/models/nano-1:generateContent', contentType: 'application/json', body: REQUEST },
    ])
    // Two images were made, though one was held.
    expect(await settled()).toMatchObject([{ outcome: 'completed', cost_usd: '0.08', held_usd: '0.04' }])
  })

  test('more images than a price counts are not free', async () => {
    const { secret, settled } = await newKey(scripted.gateway)
    const body = reply(Array(130).fill(part(scripted.base64)).join(','))
    scripted.answer = () => json(asUpstream(body))
    expect(await (await ask(secret, REQUEST)).text()).toBe(body)
    expect(await settled()).toMatchObject([{ cost_usd: '5.12', receipt: { units: { images: 128 } } }])
  })

  test.each<[string, string, string, string]>([
    ['text alone', reply('{"text":"I would rather talk."}'), 'completed', '0.00'],
    ['a filtered image', reply('', ',"finishReason":"IMAGE_SAFETY","finishMessage":"no"'), 'content_filtered', '0.00'],
    [
      'a blocked prompt',
      '{"promptFeedback":{"blockReason":"OTHER"},"modelVersion":"flat"}',
      'content_filtered',
      '0.00',
    ],
    ['something that is no image', reply(part('AAAA')), 'completed', '0.00'],
  ])('%s is 200 as it came, and costs no image', async (_, body, outcome, cost) => {
    const { secret, settled } = await newKey(scripted.gateway)
    scripted.answer = () => json(asUpstream(body))
    const response = await ask(secret, REQUEST)
    expect([response.status, await response.text()]).toEqual([200, body])
    expect(await settled()).toMatchObject([{ outcome, cost_usd: cost }])
  })

  test.each<[string, () => string, string]>([
    // 10 at 5, 1,290 at 30 and 10 at 10 USD per million.
    ['images', () => reply(part(scripted.base64)), '0.03885'],
    ['text alone', () => reply('{"text":"no"}').replace(/,"candidatesTokensDetails":\[[^\]]*\]/, ''), '0.01305'],
  ])('by the token, %s cost what is reported', async (_, body, cost) => {
    const { secret, settled } = await newKey(scripted.gateway)
    scripted.answer = () => json(body())
    const response = await ask(secret, REQUEST, { model: 'nano' })
    expect([response.status, ((await response.json()) as { modelVersion: string }).modelVersion]).toEqual([200, 'nano'])
    expect(await settled()).toMatchObject([{ outcome: 'completed', cost_usd: cost }])
  })

  test('an error is an error, for free', async () => {
    const { secret, settled } = await newKey(scripted.gateway)
    scripted.answer = () =>
      Response.json({ error: { code: 400, status: 'INVALID_ARGUMENT', message: 'bad ratio' } }, { status: 400 })
    const response = await ask(secret, REQUEST)
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('bad ratio')])
    expect(await settled()).toMatchObject([{ outcome: 'failed', cost_usd: '0.00' }])
  })

  test('a large reply passes in pieces, and a repeated request gets the same bytes', async () => {
    const { secret, rows } = await newKey(scripted.gateway)
    const body = reply(`${part(scripted.base64)},${part('A'.repeat(6_000_000))}`)
    scripted.answer = () => json(asUpstream(body))
    const headers = { 'idempotency-key': 'passed-1' }
    const first = await ask(secret, REQUEST, { headers })
    expect(Bun.hash(await first.bytes())).toBe(Bun.hash(body))
    const second = await ask(secret, REQUEST, { headers })
    expect([second.headers.get('idempotent-replayed'), Bun.hash(await second.bytes())]).toEqual([
      'true',
      Bun.hash(body),
    ])
    expect(await rows()).toHaveLength(1)
  })
})

describe('streamed', () => {
  const chunks = () => [
    asChunk('{"text":"Hm.","thought":true}', ''),
    asChunk('{"text":"Here:"}', ''),
    asChunk(part(scripted.base64), ''),
    asChunk('{"text":""}', ',"finishReason":"STOP"', `,"usageMetadata":${USAGE}`),
  ]
  const asChunk = (parts: string, finish: string, more = '') =>
    `{"candidates": [{"content": {"parts": [${parts}],"role": "model"}${finish},"index": 0}]${more},"modelVersion": "flat","someday":1.0}`

  test('events pass through byte for byte, and the image is charged', async () => {
    const { secret, settled } = await newKey(scripted.gateway)
    scripted.answer = () => sse(...chunks().map(asUpstream))
    const response = await ask(secret, REQUEST, STREAM)
    expect([response.status, response.headers.get('x-trivium-warnings')]).toEqual([200, null])
    expect(await response.text()).toBe(await sse(...chunks()).text())
    expect([scripted.seen[0]?.path, scripted.seen[0]?.body]).toEqual([
      '/v1beta/models/nano-1:streamGenerateContent',
      REQUEST,
    ])
    expect(await settled()).toMatchObject([{ outcome: 'completed', cost_usd: '0.04' }])
  })

  test('as one JSON array', async () => {
    const { secret } = await newKey(scripted.gateway)
    scripted.answer = () => sse(...chunks().map(asUpstream))
    const response = await ask(secret, REQUEST, { ...STREAM, query: '?alt=json' })
    expect(await response.text()).toBe(`[${chunks().join(',\r\n')}]`)
  })

  /** The first two events, and the others once `go` is called. */
  const paused = () => {
    const rest = Promise.withResolvers<void>()
    const [thought = '', text = '', ...others] = chunks().map((chunk) => `data: ${asUpstream(chunk)}\r\n\r\n`)
    async function* events() {
      yield Buffer.from(thought + text)
      await rest.promise
      yield Buffer.from(others.join(''))
    }
    const type = { headers: { 'content-type': 'text/event-stream' } }
    scripted.answer = () => new Response(events() as unknown as ReadableStream, type)
    return { go: rest.resolve }
  }

  test('text leaves before the image is there', async () => {
    const { secret, settled } = await newKey(scripted.gateway)
    const { go } = paused()
    const response = await ask(secret, REQUEST, STREAM)
    const reader = response.body?.getReader()
    let seen = ''
    while (!seen.includes('Here:')) seen += Buffer.from((await reader?.read())?.value ?? []).toString()
    go()
    for (let read = await reader?.read(); read?.value; read = await reader?.read())
      seen += Buffer.from(read.value).toString()
    expect(seen).toBe(await sse(...chunks()).text())
    expect(await settled()).toMatchObject([{ outcome: 'completed', cost_usd: '0.04' }])
  })

  test('a client that disconnects pays for the image that is being made', async () => {
    const { secret, settled } = await newKey(scripted.gateway)
    const { go } = paused()
    const leaving = new AbortController()
    await ask(secret, REQUEST, { ...STREAM, signal: leaving.signal })
    leaving.abort()
    await caughtUp(scripted.gateway)
    go()
    expect(await settled()).toMatchObject([{ outcome: 'client_disconnected', cost_usd: '0.04' }])
  })

  test.each<[string, string | undefined, string, string]>([
    ['breaks off', undefined, 'cut', 'UNAVAILABLE'],
    ['reports an error', '{"error":{"code":500,"status":"INTERNAL","message":"oh"}}', 'failed', '"error"'],
  ])('a stream that %s ends with an error, and what came is charged', async (_, last, outcome, told) => {
    const { secret, settled } = await newKey(scripted.gateway)
    const some = chunks().slice(0, 3)
    scripted.answer = () => sse(...some.map(asUpstream), ...(last === undefined ? [] : [last]))
    for (const query of ['?alt=sse', '?alt=json']) {
      const text = await (await ask(secret, REQUEST, { ...STREAM, query })).text()
      const start = query === '?alt=sse' ? await sse(...some).text() : `[${some.join(',\r\n')}`
      expect(text).toStartWith(start)
      expect(text.slice(start.length)).toContain(told)
      if (query === '?alt=json') expect(JSON.parse(text)).toHaveLength(4)
    }
    expect((await settled()).map((row) => [row.outcome, row.cost_usd])).toEqual(Array(2).fill([outcome, '0.04']))
  })

  test.each([
    [STREAM],
    [{ ...STREAM, query: '?alt=json' }],
  ])('a repeated request gets the same stream: %j', async (asked) => {
    const { secret, rows } = await newKey(scripted.gateway)
    scripted.answer = () => sse(...chunks().map(asUpstream))
    const headers = { 'idempotency-key': `passed${asked.query}` }
    const first = await (await ask(secret, REQUEST, { ...asked, headers })).text()
    const second = await ask(secret, REQUEST, { ...asked, headers })
    expect([second.headers.get('idempotent-replayed'), await second.text()]).toEqual(['true', first])
    expect(await rows()).toHaveLength(1)
  })
})

test('the official SDK: a chat that edits an image step by step', async () => {
  const { secret, settled } = await newKey(scripted.gateway)
  scripted.answer = () => json(asUpstream(reply(`{"text":"Here:"},${part(scripted.base64)}`)))
  const { chats } = new GoogleGenAI({ apiKey: secret, httpOptions: { baseUrl: scripted.gateway.url } })
  const config = { responseModalities: [Modality.TEXT, Modality.IMAGE], temperature: 0.5, seed: 7 }
  const chat = chats.create({ model: 'flat', config })
  const first = await chat.sendMessage({ message: 'a cat' })
  expect(first.candidates?.[0]?.content?.parts?.map((each) => Object.keys(each))).toEqual([
    ['text'],
    ['inlineData', 'thoughtSignature'],
  ])
  const chunks = []
  scripted.answer = () => sse(asUpstream(reply(part(scripted.base64))).replaceAll('\n', ' '))
  for await (const chunk of await chat.sendMessageStream({ message: 'now blue' })) chunks.push(chunk.data)
  expect(chunks).toEqual([scripted.base64])
  expect(scripted.sent(1)).toMatchObject({
    contents: [
      { role: 'user', parts: [{ text: 'a cat' }] },
      {
        role: 'model',
        parts: [{ text: 'Here:' }, { inlineData: { data: scripted.base64 }, thoughtSignature: 'c2ln' }],
      },
      { role: 'user', parts: [{ text: 'now blue' }] },
    ],
    generationConfig: { responseModalities: ['TEXT', 'IMAGE'], temperature: 0.5, seed: 7 },
  })
  expect((await settled()).map(({ cost_usd }) => cost_usd)).toEqual(['0.04', '0.04'])
})

const contents = '"contents":[{"parts":[{"text":"a cat"}]}]'

describe('what callers share', () => {
  test.each<[string, string, number, string]>([
    ['a cache of the vendor', `{${contents},"cachedContent":"cachedContents/1"}`, 400, 'cachedContent'],
    [
      'a file of the vendor',
      '{"contents":[{"parts":[{"text":"x"},{"fileData":{"fileUri":"https://generativelanguage.googleapis.com/v1beta/files/1"}}]}]}',
      400,
      'fileData.fileUri',
    ],
    [
      'a private URL',
      '{"contents":[{"parts":[{"text":"x"},{"fileData":{"fileUri":"http://169.254.169.254/a.png","mimeType":"image/png"}}]}]}',
      400,
      'fileUri',
    ],
    [
      'audio, which has no price',
      `{${contents},"generationConfig":{"responseModalities":["IMAGE","AUDIO"]}}`,
      400,
      'audio',
    ],
    ['text alone', `{${contents},"generationConfig":{"responseModalities":["TEXT"]}}`, 400, 'responseModalities'],
    ['eleven candidates', `{${contents},"generationConfig":{"candidateCount":11}}`, 400, 'candidateCount'],
  ])('rejected: %s', async (_, body, status, field) => {
    const { secret, rows } = await newKey(scripted.gateway)
    for (const asked of [{}, STREAM]) {
      const response = await ask(secret, body, asked)
      expect([response.status, await response.text()]).toEqual([status, expect.stringContaining(field)])
    }
    expect([await rows(), scripted.seen]).toEqual([[], []])
  })

  test('a search, which has no price, is left out, and so is what asks the vendor to store', async () => {
    const { secret } = await newKey(scripted.gateway)
    scripted.answer = () => json(reply(part(scripted.base64)))
    for (const others of ['', ',{"functionDeclarations":[{"name":"f"}]}']) {
      const response = await ask(secret, `{${contents}, "tools":[{"googleSearch":{}}${others}], "store": true}`)
      expect(response.headers.get('x-trivium-warnings')).toBe('tools[0].googleSearch;no-price, store;dropped')
      expect(Object.keys(scripted.sent())).not.toContain('store')
      expect(JSON.stringify(scripted.sent())).not.toContain('googleSearch')
    }
  })
})

describe('an upstream of another protocol beside it', () => {
  const made = () => ({ created: 1, data: [{ b64_json: scripted.base64 }] })

  test('answers by a translation if the first fails, with the warnings of that alone', async () => {
    const { secret, settled } = await newKey(scripted.gateway)
    for (const asked of [{}, STREAM]) {
      scripted.seen = []
      scripted.answer = (call) => (call === 1 ? new Response('', { status: 503 }) : made())
      const body = `{${contents},"generationConfig":{"stopSequences":["x"]}}`
      const response = await ask(secret, body, { ...asked, model: 'mixed' })
      expect([response.status, response.headers.get('x-trivium-warnings')]).toEqual([
        200,
        'generationConfig.stopSequences;dropped',
      ])
      expect(await response.text()).toContain(scripted.base64)
      expect(scripted.seen.map(({ path }) => path.split(':')[0])).toEqual([
        '/v1beta/models/nano-1',
        '/v1/images/generations',
      ])
    }
    expect((await settled()).map(({ cost_usd }) => cost_usd)).toEqual(['0.04', '0.04'])
  })

  test('is not asked for what it cannot express', async () => {
    const { secret, settled } = await newKey(scripted.gateway)
    scripted.answer = () => new Response('', { status: 503 })
    const response = await ask(secret, REQUEST, { model: 'mixed' })
    expect([response.status, new Set(scripted.seen.map(({ path }) => path))]).toEqual([
      503,
      new Set(['/v1beta/models/nano-1:generateContent']),
    ])
    expect(await settled()).toMatchObject([{ cost_usd: '0.00' }])
    const linked = await ask(secret, REQUEST, { model: 'linked' })
    expect([linked.status, await linked.text()]).toEqual([400, expect.stringContaining('aspectRatio')])
  })
})

describe('the images protocol at both ends', () => {
  const generations = (secret: string, more: object = {}) =>
    fetch(`${scripted.gateway.url}/v1/images/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'linked', prompt: 'a cat', response_format: 'b64_json', ...more }),
    })
  const image = (type: string, more: string) =>
    `event: image_generation.${type}\r\ndata:{ "b64_json":"${scripted.base64}", "type":"image_generation.${type}",${more}"created_at": 7,"size":"1024x1024","quality":"high","background":"opaque","output_format":"png", "someday":1.0}\r\n\r\n`
  const usage = '"usage": {"total_tokens":3,"input_tokens":1,"output_tokens":2},'

  test('a reply passes through byte for byte, unless something of it has to change', async () => {
    const { secret, settled } = await newKey(scripted.gateway)
    const body = `{ "data":[ {"b64_json": "${scripted.base64}", "x": 1.0} ],\n "usage" :{"input_tokens":1,"output_tokens":2,"total_tokens":3}, "created": 7}\n`
    scripted.answer = () => json(body)
    expect(await (await generations(secret)).text()).toBe(body)
    const linked = (await (await generations(secret, { response_format: 'url' })).json()) as object
    expect(linked).toMatchObject({ created: 7, data: [{ url: expect.stringContaining('/media/') }] })
    scripted.answer = () => json(body.replace(', "created": 7', ''))
    expect(await (await generations(secret)).json()).toMatchObject({ created: expect.any(Number) })
    expect((await settled()).map(({ cost_usd }) => cost_usd)).toEqual(['0.04', '0.04', '0.04'])
  })

  test('events pass through byte for byte, unless they lack what clients demand', async () => {
    const { secret, settled } = await newKey(scripted.gateway)
    const events = () => image('partial_image', '"partial_image_index":0,') + image('completed', usage)
    const type = { headers: { 'content-type': 'text/event-stream' } }
    scripted.answer = () => new Response(events(), type)
    expect(await (await generations(secret, { stream: true, partial_images: 1 })).text()).toBe(events())
    scripted.answer = () => new Response(events().replaceAll('"quality":"high",', ''), type)
    const text = await (await generations(secret, { stream: true, quality: 'low' })).text()
    expect(text.match(/"quality":"low"/g)).toHaveLength(2)
    expect((await settled()).map(({ cost_usd }) => cost_usd)).toEqual(['0.04', '0.04'])
  })
})
