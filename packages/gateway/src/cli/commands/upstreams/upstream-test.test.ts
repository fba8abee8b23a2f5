// `upstream test`, against servers that work and servers that fail in every way that people run into.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type SandboxServer, startSandboxServer } from '@trivium/sandbox/server.ts'
import { assemble } from '../../../config/assemble.ts'
import type { FileConfig } from '../../../config/types.ts'
import { testWithoutStore } from '../../../operate/upstreams/test.ts'
import { BUILT_IN, loadFile } from '../../../server/config.ts'
import { showTest } from './upstream-test.ts'

const FIXTURES = join(import.meta.dir, '../../../../fixtures')

let sandbox: SandboxServer
/** Answers as the path says: /401/v1, /html/v1. */
let failing: ReturnType<typeof Bun.serve>
let secure: ReturnType<typeof Bun.serve>
let mute: Bun.TCPSocketListener<undefined>
const asked: { method: string; path: string; key: string | null; body: string }[] = []

beforeAll(() => {
  sandbox = startSandboxServer({ host: '127.0.0.1', port: 0, faults: true, pace: 0 })
  failing = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname: path } = new URL(request.url)
      const key = request.headers.get('authorization')
      const body = await request.text()
      asked.push({ method: request.method, path, key, body })
      const [, word = ''] = path.split('/')
      if (word === 'html') return new Response('<p>welcome</p>')
      if (word === 'moved') return Response.redirect('http://127.0.0.1:1/elsewhere')
      if (word === 'google') return Response.json(WRONG_KEY_AT_GOOGLE, { status: 400 })
      if (word === 'list') return Response.json({ data: [] })
      const bad = word === 'pool' && key === 'Bearer good' ? 200 : word === 'pool' ? 401 : Number(word)
      if (bad === 200) return body.includes('"stream":true') ? new Response(STREAM) : Response.json(ANSWER)
      return Response.json(
        { error: { message: `about ${word} of sk-verysecretkey12345`, type: 'x', code: 'y' } },
        { status: bad },
      )
    },
  })
  const [cert, key] = ['localhost.cert.pem', 'localhost.key.pem'].map((name) => Bun.file(join(FIXTURES, name)))
  secure = Bun.serve({ port: 0, hostname: '127.0.0.1', tls: { cert, key }, fetch: () => new Response('{}') })
  mute = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: (socket) => void socket.end() } })
})
afterAll(async () => {
  await Promise.all([sandbox.stop(), failing.stop(true), secure.stop(true)])
  mute.stop(true)
})

const WRONG_KEY_AT_GOOGLE = {
  error: {
    code: 400,
    message: 'API key not valid. Please pass a valid API key.',
    status: 'INVALID_ARGUMENT',
    details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
  },
}

const ANSWER = {
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'Hello  there,\nhow are you?' }, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
}

const STREAM = [
  { ...ANSWER, choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello' }, finish_reason: null }] },
  { ...ANSWER, choices: [{ index: 0, delta: { content: ' again' }, finish_reason: 'stop' }] },
]
  .map((event) => `data: ${JSON.stringify({ ...event, object: 'chat.completion.chunk' })}\n\n`)
  .concat('data: [DONE]\n\n')
  .join('')

function configOf(upstream: string, models = ''): FileConfig {
  const { config, mistakes } = assemble(
    { source: `upstreams: [${upstream}]\nmodels: [${models}]`, file: 'f', env: {} },
    BUILT_IN,
  )
  if (!config) throw new Error(JSON.stringify(mistakes))
  return config
}

const chatAt = (url: string, keys = '[k]') => configOf(`{ id: up, dialect: chat, base_url: "${url}", keys: ${keys} }`)
const at = (path: string) => `http://127.0.0.1:${failing.port}/${path}`

const run = async (config: FileConfig, model?: string) => {
  const result = await testWithoutStore(config, { upstream: 'up', ...(model === undefined ? {} : { model }) })
  return { ...result, text: showTest(result) }
}

test('the embedded model answers in all four protocols', async () => {
  const { config } = loadFile(undefined, {})
  const { ok, checks, model, cost_usd } = await testWithoutStore(config as FileConfig, { upstream: 'sandbox' })
  expect([ok, model, cost_usd]).toEqual([true, 'sandbox-text', '0.00'])
  expect(checks.map(({ dialect, mode }) => `${dialect} ${mode}`)).toEqual(
    ['chat', 'responses', 'messages', 'generate-content'].flatMap((each) => [`${each} unstreamed`, `${each} streamed`]),
  )
  for (const check of checks) {
    expect(check).toMatchObject({
      key: null,
      ok: true,
      status: 200,
      problem: null,
      answer: expect.stringMatching(/^\[sandbox\]/),
    })
  }
})

test.each([
  'openai',
  'anthropic',
  'gemini',
  'ollama',
  'mistral',
  'openrouter',
])('a server that works: %s', async (kind) => {
  const { endpoints, baseUrlSuffix } = BUILT_IN.kinds.get(kind) ?? { endpoints: [], baseUrlSuffix: '' }
  const config = configOf(
    `{ id: up, kind: ${kind}, keys: [one, two], base_url: "${sandbox.url}${baseUrlSuffix}" }`,
    '{ id: here, routes: [{ upstream: up, model: sandbox-text }], price: { input: 1, output: 1 } }',
  )
  const expected = [1, 2].flatMap((key) =>
    endpoints.flatMap(({ dialect }) => [
      [key, dialect, 'unstreamed', true],
      ...(key === 1 ? [[key, dialect, 'streamed', true]] : []),
    ]),
  )
  for (const model of [undefined, 'here', 'sandbox-text']) {
    const { ok, checks, text } = await run(config, model)
    expect(checks.map((check) => [check.key, check.dialect, check.mode, check.ok])).toEqual(expected as never)
    expect(ok).toBe(true)
    expect(text).toContain(`up (${kind}) at ${sandbox.url}${baseUrlSuffix}: model sandbox-text`)
    expect(text).toContain('at the vendor; no account is charged here')
    expect(text).toMatch(/key 2 of 2 {2}\S+ +ok +\d+ ms {2}"\[sandbox\]/)
  }
})

test('each key is tested once with sixteen tokens, one of them also with a stream, and reported separately', async () => {
  asked.length = 0
  const { ok, checks, text } = await run(chatAt(at('pool/v1'), '[good, bad]'), 'their-model')
  expect(ok).toBe(false)
  expect(checks).toEqual([
    { ...checks[0], key: 1, ok: true, status: 200, answer: 'Hello there, how are you?', problem: null },
    { ...checks[1], key: 1, mode: 'streamed', ok: true, status: 200, answer: 'Hello again', problem: null },
    { ...checks[2], key: 2, ok: false, status: 401, answer: null },
  ] as typeof checks)
  expect(asked.map(({ key }) => key)).toEqual(['Bearer good', 'Bearer good', 'Bearer bad'])
  expect(JSON.parse(asked[0]?.body ?? '')).toMatchObject({ model: 'their-model', max_completion_tokens: 16 })
  expect(text).toContain('key 2 of 2  chat              failed')
  expect(text).not.toMatch(/good|sk-/)
})

describe('the error message', () => {
  const cases: [name: string, url: () => string, problem: RegExp][] = [
    [
      'a host that does not exist',
      () => 'http://nothing.invalid/v1',
      /^http:\/\/nothing\.invalid\/v1: unknown host name \(DNS\)$/,
    ],
    ['nothing listens', () => 'http://127.0.0.1:1/v1', /: connection refused$/],
    [
      'a certificate of its own',
      () => `https://127.0.0.1:${secure.port}/v1`,
      /: the certificate is not trusted \(TLS\)$/,
    ],
    ['no TLS there', () => `https://127.0.0.1:${failing.port}/v1`, /: this port does not support TLS$/],
    ['closed at once', () => `http://127.0.0.1:${mute.port}/v1`, /: the connection was closed without a response/],
    ['a page for people', () => at('html/v1'), /^the response is not in the chat dialect; is base_url right\?/],
    ['elsewhere', () => at('moved/v1'), /^redirected at http:\S+\/moved\/v1 \(302\)/],
    ['400', () => at('400/v1'), /^the request was rejected \(400\): about 400/],
    ['401', () => at('401/v1'), /^the key was rejected \(401\): .*about 401/],
    ['402', () => at('402/v1'), /^the account has no credit \(402\): .*about 402/],
    ['403', () => at('403/v1'), /^the key is not allowed to do this \(403\): .*about 403/],
    ['404', () => at('404/v1'), /^the model or the URL does not exist at http:\S+\/404\/v1 \(404\): .*about 404/],
    ['422', () => at('422/v1'), /^the request was rejected \(422\): about 422/],
    ['429', () => at('429/v1'), /^rate-limited, or the quota is used up \(429\): .*about 429/],
    ['500', () => at('500/v1'), /^the service failed \(500\): .*about 500/],
    ['503', () => at('503/v1'), /^the service failed \(503\)/],
  ]
  test.each(cases)('%s', async (_, url, problem) => {
    const { ok, checks } = await run(chatAt(url()), 'm')
    expect(ok).toBe(false)
    expect(checks).toHaveLength(1)
    expect(checks[0]?.problem).toMatch(problem)
    expect(checks[0]?.problem).not.toContain('verysecret')
    expect(checks[0]?.latency_ms).toBeGreaterThanOrEqual(0)
  })
})

test('Google’s 400 for a wrong key is reported as a wrong key', async () => {
  const config = configOf(`{ id: up, kind: gemini, keys: [a], base_url: "${at('google/v1beta')}" }`)
  const { ok, checks } = await run(config, 'm')
  expect(ok).toBe(false)
  expect(checks[0]?.problem).toMatch(/^the key or its account was rejected \(400\): .*API key not valid/)
})

describe('without a model routed to the upstream', () => {
  test('a free request is sent if the upstream has one', async () => {
    asked.length = 0
    const { ok, model, text } = await run(configOf(`{ id: up, kind: groq, keys: [a], base_url: "${at('list/v1')}" }`))
    expect([ok, model]).toEqual([true, null])
    expect(asked).toEqual([{ method: 'GET', path: '/list/v1/models', key: 'Bearer a', body: '' }])
    expect(text).toContain('GET /models, since no model is routed to it\nThis costs nothing.')
    const rejected = await run(configOf(`{ id: up, kind: groq, keys: [a], base_url: "${at('401/v1')}" }`))
    expect(rejected.checks[0]?.problem).toMatch(/^the key was rejected/)
  })

  test('an HTML page is not accepted as a response', async () => {
    const { ok, checks } = await run(configOf(`{ id: up, kind: groq, keys: [a], base_url: "${at('html/v1')}" }`))
    expect(ok).toBe(false)
    expect(checks[0]?.problem).toMatch(/^the response is not in the chat dialect; is base_url right\?/)
  })

  test('otherwise --model is required', async () => {
    expect(run(chatAt(at('200/v1')))).rejects.toThrow('No model is routed to up: choose one of its models with model.')
  })
})

describe('a model that generates images', () => {
  const image = '{ id: here, type: image, price: { per_image: 1 }, routes: [{ upstream: up, model: sandbox-image }] }'
  const text = '{ id: words, routes: [{ upstream: up, model: sandbox-text }], price: { input: 1, output: 1 } }'

  test.each([
    ['images', '/v1'],
    ['responses', '/v1'],
    ['generate-content', '/v1beta'],
  ])('is asked for one image in the dialect %s', async (dialect, path) => {
    const config = configOf(`{ id: up, dialect: ${dialect}, base_url: "${sandbox.url}${path}", keys: [k] }`, image)
    for (const named of [undefined, 'here', 'sandbox-image']) {
      const { ok, checks, text } = await run(config, named)
      expect(checks).toMatchObject([
        { key: 1, dialect, ok: true, status: 200, answer: 'image/png, 1024x1024' },
      ] as never)
      expect([ok, text.includes('Each call costs one image at the vendor')]).toEqual([true, true])
    }
  })

  test('is not chosen where there is a text model, which costs less', async () => {
    const up = `{ id: up, kind: openai, base_url: "${sandbox.url}/v1", keys: [k] }`
    const { model, checks } = await run(configOf(up, `${image}, ${text}`))
    expect([model, [...new Set(checks.map(({ dialect }) => dialect as string))]]).toEqual([
      'sandbox-text',
      ['responses', 'chat'],
    ])
    const named = await run(configOf(up, `${image}, ${text}`), 'here')
    expect(named.checks.map(({ dialect, ok }) => [dialect as string, ok])).toEqual([['images', true]])
  })

  test('at an upstream that has only images, a name suffices', async () => {
    const up = `{ id: up, dialect: images, base_url: "${sandbox.url}/v1", keys: [k] }`
    expect((await run(configOf(up), 'sandbox-image')).checks).toMatchObject([{ dialect: 'images', ok: true }])
    expect(run(configOf(up))).rejects.toThrow('No model is routed to up')
  })

  test.each([
    ['html', /^the response has no image in the images dialect; is base_url right\?/],
    ['list', /^the response has no image in the images dialect; is base_url right\?/],
    ['401', /^the key was rejected \(401\)/],
  ])('fails at a server that answers %s', async (word, problem) => {
    const { ok, checks } = await run(
      configOf(`{ id: up, dialect: images, base_url: "${at(word)}/v1", keys: [k] }`),
      'm',
    )
    expect(ok).toBe(false)
    expect(checks[0]?.problem).toMatch(problem)
  })
})

describe('what a test costs', () => {
  const tested = (price: string, cost = '', body = 'words') =>
    configOf(
      `{ id: up, dialect: chat, base_url: "${at('200/v1')}", keys: [k] }`,
      `{ id: ${body}, routes: [{ upstream: up, model: m${cost} }]${price} }`,
    )
  const PRICE = ', price: { input: 1, output: 2 }'

  test.each([
    // Each of the two calls reports 1 token of input and 2 of output.
    ['the price of the model', PRICE, '', 'price', '0.000464', '0.00001'],
    ['the cost of the route', PRICE, ', cost: { input: 10, output: 20 }', 'cost', '0.00464', '0.0001'],
    ['no price at all: it is not known', '', '', null, null, null],
  ])('is computed by %s', async (_, price, cost, source, most, sum) => {
    const config = tested(price, cost)
    asked.length = 0
    const estimate = await testWithoutStore(config, { upstream: 'up', model: 'words', estimate: true })
    expect(estimate).toMatchObject({ calls: 2, price: source, cost_at_most_usd: most, cost_usd: null, checks: [] })
    expect(asked).toEqual([])
    const { text, ...done } = await run(config, 'words')
    expect(done).toMatchObject({ ok: true, cost_at_most_usd: most, cost_usd: sum, unknown_costs: sum === null ? 2 : 0 })
    expect(text).toContain(sum === null ? 'Cost: not known.' : `Cost: ${sum} USD.`)
  })

  test('is 0 where the vendor rejected the calls', async () => {
    const { cost_usd } = await run(chatAt(at('401/v1')), 'm')
    expect(cost_usd).toBe('0.00')
  })
})
