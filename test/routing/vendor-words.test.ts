// What upstreams say when they fail is for operators: in the request as the admin API and the command line show it, never on the receipt
// of a caller, even where callers may know the names of upstreams.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { adminClient } from '../support/admin/admin-client.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { chat, type Gateway, receiptOf, startGateway } from '../support/gateway/gateway.ts'
import { respondWith, startUpstream, type Upstream } from '../support/upstreams/raw-upstream.ts'

let one: Upstream
let two: Upstream
let gateway: Gateway
let secret: string

beforeAll(async () => {
  ;[one, two] = [await startUpstream(), await startUpstream()]
  const entry = (id: string, { url }: Upstream) =>
    `{ id: ${id}, dialect: chat, base_url: "${url}", keys: ["key-of-${id}"], breaker: false }`
  gateway = await startGateway({
    config: `
server: { show_upstreams: true }
upstreams: [${entry('one', one)}, ${entry('two', two)}, ${entry('lost', one)}]
models:
  - { id: both, routes: [{ upstream: one, model: inner-name }, { upstream: two, model: inner-name, priority: 2 }], price: { input: 1, output: 4 } }
  - { id: lost, routes: [{ upstream: lost }], price: { input: 1, output: 4 } }
`,
  })
  secret = (await newKey(gateway, '5')).secret
})
afterAll(async () => {
  await gateway.stop()
  one.stop()
  two.stop()
})

async function ask(streamed: boolean, model = 'both') {
  const body = { model, max_tokens: 100, messages: [{ role: 'user', content: 'hi' }], stream: streamed }
  const response = await chat(gateway.url, secret, body)
  await response.text()
  return { headers: response.headers, receipt: await receiptOf<{ attempts: object[] }>(gateway.url, secret, response) }
}

describe('what failed upstreams said', () => {
  const error = (code: string, key: string, ending: string) => ({
    error: { code, message: `Key ${key} of org-abcdef123456 at http://10.0.0.7/v1 ${ending}${'x'.repeat(400)}` },
  })
  const said = (ending: string) =>
    expect.stringMatching(new RegExp(`^Key .*\\[organisation\\].*\\[host\\].* ${ending}x+$`))
  const words = (attempt: object) => ({ upstream_model: 'inner-name', duration_ms: expect.any(Number), ...attempt })

  test.each([true, false])('is kept for operators, and never told to callers; streamed: %p', async (streamed) => {
    one.behave(respondWith(error('tokens_used_up', 'key-of-one', 'is limited'), 429))
    two.behave(respondWith(error('wrong_place', 'key-of-two', 'is wrong'), 404))
    const { headers, receipt } = await ask(streamed)
    const request = headers.get('x-request-id') ?? ''
    const expected = [
      words({
        upstream: 'one',
        model: 'both',
        outcome: '429',
        error: 'rate_limit_exceeded',
        status: 429,
        vendor_code: 'tokens_used_up',
        vendor_message: said('is limited'),
        reason: 'The upstream limits the rate of requests.',
      }),
      words({
        upstream: 'two',
        model: 'both',
        outcome: 'failed',
        error: expect.any(String),
        status: 404,
        vendor_code: 'wrong_place',
        vendor_message: said('is wrong'),
        reason: expect.stringMatching(/^The upstream /),
      }),
    ]
    const shown = await gateway.command<{ attempts: { vendor_message: string }[] }>('request', 'show', request)
    expect(shown.attempts).toEqual(expected as never)
    expect(shown.attempts.map(({ vendor_message }) => vendor_message.length)).toEqual([300, 300])
    for (const role of ['admin', 'viewer']) {
      const made = await gateway.command<{ secret: string }>('admin-key', 'create', '--name', role, '--role', role)
      const { body } = await adminClient(gateway.url, made.secret)<{ attempts: object[] }>('GET', `requests/${request}`)
      const own = expected.map(({ upstream_model, ...rest }) =>
        role === 'viewer' ? rest : { ...rest, upstream_model },
      )
      expect(body.attempts).toEqual(own)
      expect(JSON.stringify(body)).not.toMatch(/key-of-|abcdef123456|10\.0\.0\.7/)
    }
    expect(receipt.attempts).toEqual([
      { upstream: 'one', model: 'both', outcome: '429' },
      { upstream: 'two', model: 'both', outcome: 'failed' },
    ])
    expect(JSON.stringify(receipt)).not.toMatch(/wrong_place|tokens_used_up|is limited|is wrong/)
  })

  test('the operator learns of an upstream that was not reached, and of an error within a response', async () => {
    one.behave(respondWith({ error: { message: 'All busy', code: 'server_is_overloaded' } }))
    two.behave((socket) => void socket.destroy())
    const { headers } = await ask(false)
    const id = headers.get('x-request-id') ?? ''
    const { attempts } = await gateway.command<{ attempts: object[] }>('request', 'show', id)
    expect(attempts).toMatchObject([
      { status: 200, error: 'service_unavailable', vendor_message: expect.stringContaining('All busy') },
      { status: null, error: 'upstream_error', vendor_message: null, reason: 'The upstream could not be reached.' },
    ])
  })
})

test('an upstream whose calls all fail needs attention, though its key is healthy', async () => {
  one.behave(respondWith({ error: { message: 'Invalid URL', code: 'unknown_url' } }, 404))
  for (let calls = 0; calls < 3; calls++) await ask(false, 'lost')
  const { secret } = await gateway.command<{ secret: string }>('admin-key', 'create', '--name', 'v', '--role', 'viewer')
  type Needs = { needs_you: { about: string; count?: number }[] }
  const { body } = await adminClient(gateway.url, secret)<Needs>('GET', 'overview')
  const lost = body.needs_you.find(({ about }) => about === 'lost')
  // Some of the requests were sent twice.
  expect(lost?.count).toBeGreaterThanOrEqual(3)
  expect(lost).toEqual({
    kind: 'upstream_failing',
    about: 'lost',
    count: expect.any(Number),
    detail: '404',
    since: null,
    page: 'upstreams',
  } as never)
})
