// A key that was handed out for something particular sees what was made with it; other keys see all of their account.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'

const VIDEOS = '/api/v3/contents/generations/tasks'
const RESTRICTIONS: readonly (readonly [string, ...string[]])[] = [
  ['models', '--models', 'sandbox-text,sandbox-video'],
  ['a cap', '--cap', '5'],
  ['networks', '--ips', '127.0.0.1'],
]

let gateway: Gateway
let owner: Call
const restricted = new Map<string, Call>()

type Call = (method: string, path: string, body?: object) => Promise<{ status: number; body: Record<string, unknown> }>

const caller =
  (secret: string): Call =>
  async (method, path, body) => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    const answer = await fetch(gateway.url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? {} : JSON.parse(text) }
  }

beforeAll(async () => {
  gateway = await startGateway()
  const { email, secret } = await newKey(gateway)
  owner = caller(secret)
  for (const [name, ...terms] of RESTRICTIONS) {
    const made = await gateway.command<{ secret: string }>(
      'key',
      'create',
      '--account',
      email,
      '--name',
      name,
      ...terms,
    )
    restricted.set(name, caller(made.secret))
  }
})
afterAll(() => gateway.stop())

let serial = 0
/** Each with other words: the sandbox gives the same answer, with the same ids, to the same words. */
const respond = async (call: Call) => {
  serial += 1
  const request = { model: 'sandbox-text', input: `Secret word ${serial}` }
  const { status, body } = await call('POST', '/v1/responses', request)
  expect(status).toBe(200)
  const message = (body.output as { id: string; type: string }[]).find(({ type }) => type === 'message')
  return { id: String(body.id), item: String(message?.id) }
}
const statusOf = async (call: Call, method: string, path: string, body?: object) =>
  (await call(method, path, body)).status

describe.each(RESTRICTIONS.map(([name]) => name))('a key with %s', (name) => {
  const key: Call = (...call) => (restricted.get(name) as Call)(...call)

  test('sees its own responses, not those of other keys', async () => {
    const [theirs, own] = [await respond(owner), await respond(key)]
    const seen = async (call: Call, { id, item }: { id: string; item: string }) => [
      await statusOf(call, 'GET', `/v1/responses/${id}`),
      await statusOf(call, 'GET', `/v1/responses/${id}/input_items`),
      await statusOf(call, 'POST', '/v1/responses', { model: 'sandbox-text', input: 'x', previous_response_id: id }),
      await statusOf(call, 'POST', '/v1/responses', {
        model: 'sandbox-text',
        input: [
          { type: 'item_reference', id: item },
          { role: 'user', content: 'x' },
        ],
      }),
    ]
    const count = async (previous_response_id: string) => {
      const body = { model: 'sandbox-text', input: 'x', previous_response_id }
      return (await key('POST', '/v1/responses/input_tokens', body)).body.input_tokens
    }
    expect(await seen(key, theirs)).toEqual([404, 404, 400, 400])
    // Nothing of it is counted either.
    expect(await count(theirs.id)).toBe(await count('resp_unknown'))
    expect(await count(own.id)).not.toBe(await count('resp_unknown'))
    expect(await statusOf(key, 'DELETE', `/v1/responses/${theirs.id}`)).toBe(404)
    for (const [call, response] of [
      [key, own],
      [owner, own],
      [owner, theirs],
    ] as const)
      expect(await seen(call, response)).toEqual([200, 200, 200, 200])
    expect(await statusOf(key, 'DELETE', `/v1/responses/${own.id}`)).toBe(200)
  })

  test('sees its own receipts', async () => {
    const [theirs, own] = [(await respond(owner)).id, (await respond(key)).id].map((id) => id.replace('resp_', 'req_'))
    const ids = async (call: Call) =>
      ((await call('GET', '/v1/usage?limit=100')).body.requests as { request_id: string }[]).map(
        ({ request_id }) => request_id,
      )
    const [seen, all] = [await ids(key), await ids(owner)]
    expect([seen.includes(own ?? ''), seen.includes(theirs ?? '')]).toEqual([true, false])
    expect(all).toEqual(expect.arrayContaining([own, theirs]))
    expect(await statusOf(key, 'GET', `/v1/usage/${theirs}`)).toBe(404)
    expect(await statusOf(key, 'GET', `/v1/usage/${own}`)).toBe(200)
  })

  test('sees its own tasks', async () => {
    const submit = async (call: Call) => {
      const video = { model: 'sandbox-video', content: [{ type: 'text', text: 'a cat' }] }
      return String((await call('POST', VIDEOS, video)).body.id)
    }
    const [theirs, own] = [await submit(owner), await submit(key)]
    const listed = async (call: Call) =>
      ((await call('GET', `${VIDEOS}?page_size=100`)).body.items as { id: string }[]).map(({ id }) => id)
    expect([
      await statusOf(key, 'GET', `${VIDEOS}/${theirs}`),
      await statusOf(key, 'DELETE', `${VIDEOS}/${theirs}`),
    ]).toEqual([404, 404])
    expect(await statusOf(key, 'GET', `${VIDEOS}/${own}`)).toBe(200)
    expect(await statusOf(owner, 'GET', `${VIDEOS}/${own}`)).toBe(200)
    expect(await listed(key)).toEqual([own])
    expect(await listed(owner)).toEqual(expect.arrayContaining([own, theirs]))
  })
})
