// URLs in requests that the upstream is to fetch: checked before anything is sent, by the settings of each upstream.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { BASE_PATH, pathIn } from '../support/requests/dialect-calls.ts'
import { respondInDialect, startUpstream, type Upstream } from '../support/upstreams/raw-upstream.ts'

type Dialect = 'chat' | 'responses' | 'messages' | 'generate-content'
const DIALECTS = Object.keys(BASE_PATH) as Dialect[]

let upstream: Upstream
let gateway: Gateway
let secret: string

beforeAll(async () => {
  upstream = await startUpstream()
  const { origin } = new URL(upstream.url)
  const price = 'price: { input: 1, output: 4 }'
  const entries = DIALECTS.flatMap((id) => [
    `  - { id: ${id}, dialect: ${id}, base_url: "${origin}${BASE_PATH[id]}", keys: [k], breaker: false }`,
    `  - { id: ${id}-inside, dialect: ${id}, base_url: "${origin}${BASE_PATH[id]}", keys: [inside], breaker: false, allow_private: true }`,
  ])
  const models = DIALECTS.flatMap((id) => [
    `  - { id: ${id}-model, routes: [{ upstream: ${id} }], ${price} }`,
    `  - { id: ${id}-both, routes: [{ upstream: ${id} }, { upstream: ${id}-inside, priority: 2 }], ${price} }`,
    `  - { id: ${id}-behind, routes: [{ upstream: ${id} }], fallbacks: [${id}-both], ${price} }`,
  ])
  const hosts = {
    'inside.example': ['127.0.0.1'],
    'mixed.example': ['203.0.113.9', '10.0.0.1'],
    'metadata.example': ['169.254.169.254'],
    'outside.example': ['93.184.216.34'],
    'v6.example': ['::ffff:127.0.0.1'],
    'silent.example': null,
  }
  gateway = await startGateway({ config: `upstreams:\n${entries.join('\n')}\nmodels:\n${models.join('\n')}\n`, hosts })
  secret = (await newKey(gateway)).secret
})
afterAll(async () => {
  await gateway.stop()
  upstream.stop()
})
beforeEach(() => upstream.behave(respondInDialect))

const BODIES: Record<Dialect, (model: string, url: string, padding: string) => object> = {
  chat: (model, url, padding) => ({
    model,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: `hi${padding}` },
          { type: 'image_url', image_url: { url } },
        ],
      },
    ],
  }),
  responses: (model, url, padding) => ({
    model,
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: `hi${padding}` },
          { type: 'input_image', image_url: url },
        ],
      },
    ],
  }),
  messages: (model, url, padding) => ({
    model,
    max_tokens: 9,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: `hi${padding}` },
          { type: 'image', source: { type: 'url', url } },
        ],
      },
    ],
  }),
  'generate-content': (_, url, padding) => ({
    contents: [
      { role: 'user', parts: [{ text: `hi${padding}` }, { fileData: { fileUri: url, mimeType: 'image/png' } }] },
    ],
  }),
}

async function send(dialect: Dialect, model: string, body: object) {
  const before = upstream.received.length
  const response = await fetch(gateway.url + pathIn(dialect, { model }), {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'msg-version': '2023-06-01' },
    body: JSON.stringify(body),
  })
  return { status: response.status, text: await response.text(), sent: upstream.received.slice(before) }
}

const PADDINGS = ['', 'x'.repeat(20_000), 'x'.repeat(200_000)]

describe.each(DIALECTS)('%s', (dialect) => {
  const ask = (model: string, url: string, padding = '') => send(dialect, model, BODIES[dialect](model, url, padding))

  test.each([
    'http://10.0.0.1/a.png',
    'http://localhost:3000/a.png',
    'http://169.254.169.254/',
    'file:///etc/passwd',
  ])('%s goes to no upstream, whatever the size of the body', async (url) => {
    for (const padding of PADDINGS) {
      const { status, text, sent } = await ask(`${dialect}-model`, url, padding)
      expect([status, sent.length]).toEqual([400, 0])
      expect(text).toMatch(/image_url|source\.url|fileUri/)
    }
  })

  test('a private URL goes only to upstreams that allow it, also as a fallback; a metadata service or another scheme to none', async () => {
    for (const model of [`${dialect}-both`, `${dialect}-behind`]) {
      const { status, sent } = await ask(model, 'http://10.0.0.1/a.png')
      expect([status, sent.length]).toEqual([200, 1])
      expect(sent[0]?.body.toString()).toContain('http://10.0.0.1/a.png')
      expect(JSON.stringify(sent[0]?.headers)).toContain('inside')
    }
    expect(await ask(`${dialect}-both`, 'http://169.254.169.254/')).toMatchObject({ status: 400, sent: [] })
    if (dialect !== 'generate-content')
      expect(await ask(`${dialect}-both`, 'ftp://10.0.0.1/')).toMatchObject({ status: 400, sent: [] })
  })

  test('a public URL goes to the first upstream, and a bucket only to upstreams that share objects', async () => {
    const { status, sent } = await ask(`${dialect}-both`, 'https://example.com/a.png')
    expect([status, sent.length]).toEqual([200, 1])
    expect(await ask(`${dialect}-both`, 'gs://bucket/a.png')).toMatchObject({ status: 400, sent: [] })
  })
})

describe.each(
  DIALECTS.filter((id) => id !== 'generate-content'),
)('%s: names, for upstreams inside the network', (dialect) => {
  const ask = (model: string, host: string) => send(dialect, model, BODIES[dialect](model, `https://${host}/a.png`, ''))

  test.each([
    'inside.example',
    'INSIDE.example.',
    'mixed.example:8443',
    'metadata.example',
    'v6.example',
    // Where the upstream looks, these may lead anywhere.
    'unknown.example',
    'silent.example',
  ])('%s leads to an address that callers may not reach, or nobody knows where', async (host) => {
    const { status, text, sent } = await ask(`${dialect}-model`, host)
    expect([status, sent.length]).toEqual([400, 0])
    expect(text).toMatch(/image_url|source\.url/)
    const allowed = await ask(`${dialect}-both`, host)
    expect([allowed.status, JSON.stringify(allowed.sent[0]?.headers)]).toEqual([200, expect.stringContaining('inside')])
  })

  test('a name that leads outside is forwarded', async () => {
    expect(await ask(`${dialect}-model`, 'outside.example')).toMatchObject({ status: 200, sent: [{}] })
  })
})

test('a request names a limited number of hosts', async () => {
  const content = Array.from({ length: 17 }, (_, index) => ({
    type: 'image_url',
    image_url: { url: `https://host-${index}.example/a.png` },
  }))
  const body = { model: 'chat-model', messages: [{ role: 'user', content }] }
  expect(await send('chat', 'chat-model', body)).toMatchObject({
    status: 400,
    text: expect.stringContaining('16 hosts'),
  })
})

test('servers for the upstream to call', async () => {
  const mcp = { type: 'mcp', server_label: 'a', server_url: 'http://127.0.0.1:9/', require_approval: 'never' }
  const asked = await send('responses', 'responses-model', { model: 'responses-model', input: 'hi', tools: [mcp] })
  expect(asked).toMatchObject({ status: 400, sent: [] })
  expect(asked.text).toContain('tools[0].server_url')
  const servers = { mcp_servers: [{ type: 'url', name: 'a', url: 'http://[::1]/' }] }
  for (const padding of PADDINGS) {
    const body = { model: 'chat-model', messages: [{ role: 'user', content: `hi${padding}` }], ...servers }
    const asked = await send('chat', 'chat-model', body)
    expect(asked).toMatchObject({ status: 400, sent: [] })
    expect(asked.text).toContain('mcp_servers[0].url')
  }
})
