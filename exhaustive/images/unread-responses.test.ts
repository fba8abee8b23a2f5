// Clients that do not read the images they have paid for: they lose them before anybody else is rejected.
import { afterEach, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { eventually } from '../../test/support/eventually.ts'
import { newKey } from '../../test/support/gateway/accounts.ts'
import type { Gateway } from '../../test/support/gateway/gateway.ts'
import { ENGINES } from '../../test/support/gateway/home.ts'
import { startImageGateway } from '../../test/support/gateway/image-gateway.ts'
import { generate } from '../../test/support/requests/images.ts'
import { completed, DETAILS, PNG_512, respondAsRequested } from '../../test/support/upstreams/image-replies.ts'
import { type Behaviour, respondWith, stream } from '../../test/support/upstreams/raw-upstream.ts'

/** Begins like an image, and is far more than the buffers of the system take. */
const LARGE = PNG_512.slice(0, 400) + 'QUFB'.repeat(2 * 1024 * 1024)
/** Room for two requests of this kind at once, not for three. */
const LIMITS = 'server: { limits: { body: 4MiB, memory: 24MiB } }'
const N = 3

const respondLarge: Behaviour = (socket, request) => {
  const { prompt, stream: isStream } = JSON.parse(request.body.toString())
  if (prompt !== 'large') return respondAsRequested(socket, request)
  const images = Array.from({ length: N }, () => ({ b64_json: LARGE }))
  const behaviour = isStream
    ? stream(...images.map((image) => completed(image)))
    : respondWith({ created: 7, ...DETAILS, data: images })
  return behaviour(socket, request)
}

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** Sends a request and reads nothing. */
function sendUnread({ url }: Gateway, secret: string, fields: object, headers: Record<string, string>): void {
  const { hostname, port } = new URL(url)
  const body = JSON.stringify({ model: 'img', prompt: 'large', n: N, ...fields })
  const all = { host: 'a', authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers }
  const lines = Object.entries({ ...all, 'content-length': String(body.length) }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  socket.pause()
  socket.write(`POST /v1/images/generations HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
  sockets.push(socket)
}

describe.each(ENGINES)('%s', (engine) => {
  const started = startImageGateway(engine, LIMITS)

  /** A third account, which reads what it asks for. */
  async function politeClient(gateway: Gateway) {
    const { secret } = await newKey(gateway)
    return async () => {
      const response = await generate(gateway.url, secret, { model: 'img', prompt: 'a cat', n: N })
      await response.bytes()
      return response.status
    }
  }

  test('unstreamed responses: no other request is rejected, and each is charged once', async () => {
    const { gateway, first } = await started
    first.behave(respondLarge)
    const ask = await politeClient(gateway)
    const clients = [await newKey(gateway), await newKey(gateway)]
    for (let count = 1; count <= 3; count++) {
      for (const { secret, settled } of clients) {
        sendUnread(gateway, secret, {}, {})
        await eventually(async () => (await settled()).length === count)
        expect(await ask()).toBe(200)
      }
    }
    for (const { rows } of clients) {
      expect((await rows()).map(({ outcome, cost_usd }) => [outcome, cost_usd])).toEqual(
        Array(3).fill(['completed', '0.06']),
      )
    }
  })

  test.each([
    ['streams', false],
    ['streams with an idempotency key', true],
  ])('%s: no other request is rejected for long, and what was made is charged once', async (_, isKeyed) => {
    const { gateway, first } = await started
    first.behave(respondLarge)
    const ask = await politeClient(gateway)
    const clients = [await newKey(gateway), await newKey(gateway)]
    for (let count = 1; count <= 2; count++) {
      for (const { secret } of clients) {
        const headers: Record<string, string> = isKeyed ? { 'idempotency-key': `key-${count}` } : {}
        sendUnread(gateway, secret, { stream: true }, headers)
        // While its images are being made, a request counts with what they will take.
        await eventually(async () => (await ask()) === 200)
      }
    }
    for (const socket of sockets) socket.destroy()
    const rows = (await Promise.all(clients.map(({ settled }) => settled()))).flat()
    const costs = rows.map(({ cost_usd }) => cost_usd)
    // One that found no memory while images of another one were being made is rejected, and free.
    expect([rows.length <= 4, costs.includes('0.06')]).toEqual([true, true])
    expect(costs.filter((cost) => cost !== '0.06' && cost !== '0.00')).toEqual([])
  })
})
