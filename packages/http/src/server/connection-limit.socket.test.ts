// More connections than the limit allows, on a real server, plain and over TLS.
import { afterEach, describe, expect, test } from 'bun:test'
import { arrival, CERTIFICATE, GET } from '../../test-support/exchanges.ts'
import { textResponse } from '../../test-support/handler.ts'
import { RawClient } from '../../test-support/raw-client.ts'
import { serveForTest } from '../../test-support/serve.ts'
import type { HttpResponse } from '../response.ts'
import { ConnectionLimit } from './connection-limit.ts'

const MOST = 10
const GONE = 50

describe.each([
  ['plain', false],
  ['over TLS', true],
])('%s', (_, isSecure) => {
  const clients: RawClient[] = []
  const stops: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const client of clients.splice(0)) client.disconnect()
    for (const stop of stops.splice(0)) await stop()
  })

  /** Answers /slow when the test says so, and everything else at once. */
  function crowd() {
    const slow = Promise.withResolvers<HttpResponse>()
    let time = 0
    const limit = new ConnectionLimit({
      most: MOST,
      ownerOf: () => undefined,
      now: () => (time += 1_000),
      report: () => {},
    })
    const large = { ...textResponse(200, ''), body: Buffer.alloc(20_000_000) }
    const handle = ({ target }: { target: string }) =>
      target === '/slow' ? slow.promise : target === '/large' ? large : textResponse(200, target)
    const server = serveForTest(handle, { limit, tls: isSecure ? CERTIFICATE : undefined })
    stops.push(server.stop)
    const open = async () => {
      const client = new RawClient(server.port, isSecure)
      clients.push(client)
      await Promise.race([
        new Promise((resolve) => client.socket.once(isSecure ? 'secureConnect' : 'connect', resolve)),
        client.end(),
      ])
      return client
    }
    return { open, advance: server.advance, finish: () => slow.resolve(textResponse(200, 'slow')) }
  }

  const isOpen = (client: RawClient) => Promise.race([client.end().then(() => false), Bun.sleep(0).then(() => true)])

  test('idle connections are closed for new ones, which are served', async () => {
    const { open } = crowd()
    const silent: RawClient[] = []
    for (let count = 0; count < 3 * MOST; count++) silent.push(await open())
    const client = (await open()).send(GET)
    expect((await client.response()).body).toBe('/a')
    await arrival()
    const still = await Promise.all(silent.map(isOpen))
    expect(still.filter(Boolean)).toHaveLength(MOST - 1)
    expect(still.slice(-5)).toEqual(Array(5).fill(true))
  })

  test('a connection whose head is incomplete for five seconds is closed for a new one', async () => {
    const { open, advance } = crowd()
    const slow = await Promise.all(Array.from({ length: MOST }, open))
    for (const client of slow) client.send(GET.slice(0, 10))
    await arrival()
    const rejected = await open()
    expect((await rejected.end()).how).toBe('reset')
    await advance(5_500)
    const next = (await open()).send(GET)
    expect((await next.response()).body).toBe('/a')
  })

  test('a connection whose client has read nothing of its response for ten seconds is closed for a new one', async () => {
    const { open, advance } = crowd()
    const stalled = await Promise.all(Array.from({ length: MOST }, open))
    for (const client of stalled) {
      client.socket.pause()
      client.send(GET.replace('/a', '/large'))
    }
    await arrival()
    await advance(5_000)
    expect((await (await open()).end()).how).toBe('reset')
    // The system takes a while to fill its buffers, and each byte that it takes is progress.
    const ask = async () => (await open()).send(GET).response()
    let body: string | undefined
    for (let tries = 0; tries < 100 && body === undefined; tries++) {
      await advance(11_000)
      body = await ask().then(
        (response) => response.body,
        () => undefined,
      )
    }
    expect(body).toBe('/a')
  })

  test('a connection with a running request stays, and new ones are reset', async () => {
    const { open, finish } = crowd()
    const [reading, ...answering] = await Promise.all(Array.from({ length: MOST }, open))
    reading?.send(GET.slice(0, 10))
    for (const client of answering) client.send(GET.replace('/a', '/slow'))
    await arrival()
    const rejected = await open()
    expect((await rejected.end()).how).toBe('reset')
    reading?.send(GET.slice(10))
    expect((await reading?.response())?.body).toBe('/a')
    finish()
    for (const client of answering) expect((await client.response()).body).toBe('slow')
    const next = (await open()).send(GET)
    expect((await next.response()).body).toBe('/a')
  })
})

test('a client that disconnects before it is accepted still has an address', async () => {
  const addresses: unknown[] = []
  const failures: unknown[] = []
  const limit = new ConnectionLimit({
    most: 1_000,
    ownerOf: (address) => void addresses.push(address),
    now: () => 0,
    report: () => {},
  })
  const { port, stop } = serveForTest(() => textResponse(200, ''), { limit, failed: (error) => failures.push(error) })
  // This process is blocked meanwhile, so it accepts none of them in time.
  const script = `
    const { connect } = require('node:net')
    let left = ${GONE}
    for (let count = 0; count < ${GONE}; count++) {
      const socket = connect(${port}, '127.0.0.1', () => {
        socket.resetAndDestroy()
        if (--left === 0) process.exit(0)
      })
    }`
  expect(Bun.spawnSync([process.execPath, '-e', script]).exitCode).toBe(0)
  while (addresses.length < GONE) await Bun.sleep(1)
  expect(addresses.every((address) => typeof address === 'string')).toBeTrue()
  expect(failures).toEqual([])
  await stop()
})
