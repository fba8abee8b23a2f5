// How connections end: by timeouts, and with the server.
import { describe, expect, test } from 'bun:test'
import { arrival, CERTIFICATE, describeBoth, GET, post } from '../../test-support/exchanges.ts'
import { streamedResponse, textResponse } from '../../test-support/handler.ts'
import { RawClient } from '../../test-support/raw-client.ts'
import { serveForTest } from '../../test-support/serve.ts'

describeBoth((host) => {
  describe('timeouts', () => {
    test('a head has one deadline, however it arrives', async () => {
      const client = host.open().send(GET.slice(0, 5))
      await arrival()
      for (const letter of GET.slice(5, 8)) {
        await host.advance(9_000)
        client.send(letter)
      }
      await host.advance(5_000)
      const { status, headers } = await client.response()
      expect([status, headers.connection]).toEqual([408, 'close'])
      client.disconnect()
    })

    test('the deadline of the next head starts with its first byte', async () => {
      const client = host.open().send(GET)
      ;(await host.nextRequest()).respond(textResponse(200, 'one'))
      await client.response()
      await host.advance(50_000)
      client.send(GET.slice(0, 10))
      await arrival()
      await host.advance(25_000)
      client.send(GET.slice(10))
      ;(await host.nextRequest()).respond(textResponse(200, 'two'))
      expect((await client.response()).body).toBe('two')
      client.send(GET.slice(0, 10))
      await arrival()
      await host.advance(31_000)
      expect((await client.response()).status).toBe(408)
      client.disconnect()
    })

    test('idle connections are closed silently', async () => {
      const silent = host.open()
      await new Promise((resolve) => silent.socket.once('connect', resolve))
      const idle = host.open().send(GET)
      ;(await host.nextRequest()).respond(textResponse(200, 'one'))
      await idle.response()
      await host.advance(70_000)
      await host.advance(6_000)
      for (const client of [silent, idle]) {
        expect(await client.end()).toEqual({ rest: '', how: 'end' })
        client.disconnect()
      }
    })

    test.each([
      ['whole', ['\r\n']],
      ['in halves', ['\r', '\n']],
    ])('line ends alone do not keep a connection open: %s', async (_, pieces) => {
      const client = host.open().send(GET)
      ;(await host.nextRequest()).respond(textResponse(200, 'one'))
      await client.response()
      for (let times = 0; times < 4; times++) {
        await client.sendEach(pieces)
        await arrival()
        await host.advance(19_000)
      }
      expect(await client.end()).toEqual({ rest: '', how: 'end' })
      client.disconnect()
    })

    test('half a line end before a request does not shorten its deadline', async () => {
      const client = host.open()
      await host.advance(60_000)
      client.send('\r')
      await arrival()
      await host.advance(10_000)
      await client.sendEach([`\n${GET.slice(0, 10)}`])
      await arrival()
      await host.advance(25_000)
      client.send(GET.slice(10))
      ;(await host.nextRequest()).respond(textResponse(200, 'one'))
      expect((await client.response()).body).toBe('one')
      client.disconnect()
    })

    test('a long-running request is not idle', async () => {
      const client = host.open().send(GET)
      const { respond: answer } = await host.nextRequest()
      await host.advance(1_000_000)
      answer(textResponse(200, 'at last'))
      expect((await client.response()).body).toBe('at last')
      client.disconnect()
    })

    test('a client that does not close its side is cut off', async () => {
      const client = host.open().send('GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      ;(await host.nextRequest()).respond(textResponse(200, 'one'))
      await client.response()
      expect((await client.end()).how).toBe('end')
      await host.advance(31_000)
      // Otherwise it would wait for the client.
      await host.stop(false)
      client.disconnect()
    })

    test('a client that does not send the rest of a discarded body is cut off', async () => {
      const client = host.open().send(post(10, 'hello'))
      ;(await host.nextRequest()).respond(textResponse(401, 'no'))
      expect((await client.response()).status).toBe(401)
      expect(host.pending).toBe(0)
      await host.advance(76_000)
      await client.end()
      client.disconnect()
    })
  })

  describe('graceful shutdown', () => {
    test('running requests are answered with Connection: close', async () => {
      const busy = host.open().send(GET)
      const idle = host.open()
      const { respond: answer } = await host.nextRequest()
      await arrival()
      const stopped = host.stop(false)
      expect(await idle.end()).toEqual({ rest: '', how: 'end' })
      idle.disconnect()
      answer(textResponse(200, 'last'))
      const { body, headers } = await busy.response()
      expect([body, headers.connection]).toEqual(['last', 'close'])
      await busy.end()
      busy.disconnect()
      await stopped
    })

    test('a running stream completes, and its connection is closed', async () => {
      const client = host.open().send(GET)
      const { respond: answer } = await host.nextRequest()
      const going = Promise.withResolvers<void>()
      answer(
        streamedResponse(async (sink) => {
          await sink.write(Buffer.from('first'))
          await going.promise
          return Buffer.from('last')
        }),
      )
      await client.hasReceived(50)
      const stopped = host.stop(false)
      going.resolve()
      expect((await client.response()).body).toBe('firstlast')
      expect(await client.end()).toEqual({ rest: '', how: 'end' })
      client.disconnect()
      await stopped
    })

    test('a partly received request is answered', async () => {
      const client = host.open().send(GET.slice(0, 10))
      await arrival()
      const stopped = host.stop(false)
      client.send(GET.slice(10) + GET)
      ;(await host.nextRequest()).respond(textResponse(200, 'last'))
      expect((await client.response()).headers.connection).toBe('close')
      expect(await client.end()).toEqual({ rest: '', how: 'end' })
      client.disconnect()
      await stopped
    })

    test('new connections are rejected', async () => {
      const client = host.open().send(GET)
      const { respond: answer } = await host.nextRequest()
      const stopped = host.stop(false)
      const late = host.open()
      expect((await late.end()).how).toBe('reset')
      answer(textResponse(200, 'last'))
      await client.response()
      client.disconnect()
      await stopped
    })

    test('a forced shutdown cuts off everything', async () => {
      const clients = [host.open().send(GET), host.open().send(GET.slice(0, 10)), host.open()]
      const { request, respond: answer } = await host.nextRequest()
      await arrival()
      await host.stop(true)
      expect([request.isDisconnected, host.pending]).toEqual([true, 0])
      for (const client of clients) {
        await client.end()
        client.disconnect()
      }
      answer(textResponse(200, 'late'))
    })
  })
})

test('a silent TLS connection is cut off, too', async () => {
  const host = serveForTest(() => textResponse(200, ''), { tls: CERTIFICATE })
  const client = new RawClient(host.port)
  await new Promise((resolve) => client.socket.once('connect', resolve))
  await arrival()
  await host.advance(76_000)
  await host.advance(31_000)
  await client.end()
  await host.server.stop(false)
  await host.stop()
})
