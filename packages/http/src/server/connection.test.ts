// Clients that disconnect, stall or receive half a response, at each stage of a request.
import { describe, expect, test } from 'bun:test'
import { arrival, describeBoth, GET, post, until } from '../../test-support/exchanges.ts'
import { readText, streamedResponse, textResponse } from '../../test-support/handler.ts'
import type { HttpRequest } from '../request.ts'
import type { Sink } from '../response.ts'
import { ClientDisconnected } from './incoming/incoming-body.ts'

/** Counts the disconnects that it is told of. */
function watchLeaving(request: HttpRequest): { times: number } {
  const told = { times: 0 }
  request.onDisconnect = () => void told.times++
  return told
}

/** Writes until it must wait, reports that, and waits. */
async function fill(sink: Sink, full: () => void): Promise<number> {
  const piece = Buffer.alloc(100_000, 0x61)
  for (let bytes = piece.length; ; bytes += piece.length) {
    const waiting = sink.write(piece)
    if (!waiting) continue
    full()
    await waiting
    return bytes
  }
}

describeBoth((host) => {
  /** In steps shorter than the timeout: the system takes a while to fill its buffers, and each byte that it takes is progress. */
  async function advanceUntil(condition: () => boolean): Promise<void> {
    for (let steps = 0; steps < 100 && !condition(); steps++) await host.advance(25_000)
    expect(condition()).toBeTrue()
  }

  describe.each(['disconnect', 'reset'] as const)('a client that disconnects (%s)', (how) => {
    test('before a request', async () => {
      const client = host.open()
      await new Promise((resolve) => client.socket.once('connect', resolve))
      client[how]()
    })

    test('within a head', async () => {
      const client = host.open().send(GET.slice(0, 20))
      await arrival()
      client[how]()
    })

    test('within a body that is being read', async () => {
      const client = host.open().send(post(10, 'hello'))
      const { request, respond: answer } = await host.nextRequest()
      const told = watchLeaving(request)
      const reading = readText(request)
      client[how]()
      expect(reading).rejects.toThrow(ClientDisconnected)
      await until(() => request.isDisconnected)
      answer(textResponse(200, 'late'))
      expect(told.times).toBe(1)
    })

    test('within a body that the handler does not read', async () => {
      const client = host.open().send(post(10, 'hello'))
      const { request, respond: answer } = await host.nextRequest()
      client[how]()
      await until(() => request.isDisconnected)
      expect(() => request.body.read()).toThrow(ClientDisconnected)
      answer(textResponse(200, 'late'))
    })

    test('before the response, which is completed all the same', async () => {
      const client = host.open().send(GET)
      const { request, respond: answer } = await host.nextRequest()
      const told = watchLeaving(request)
      client[how]()
      await until(() => request.isDisconnected)
      const ran = Promise.withResolvers<unknown>()
      answer(
        streamedResponse(async (sink) => {
          ran.resolve(sink.write(Buffer.from('late')))
          throw new Error('and it may fail')
        }),
      )
      expect(await ran.promise).toBeUndefined()
      expect(told.times).toBe(1)
    })

    test('within a stream', async () => {
      const client = host.open().send(GET)
      const { request, respond: answer } = await host.nextRequest()
      const told = watchLeaving(request)
      const left = Promise.withResolvers<void>()
      const ran = Promise.withResolvers<unknown>()
      answer(
        streamedResponse(async (sink) => {
          await sink.write(Buffer.from('first'))
          await left.promise
          ran.resolve(sink.write(Buffer.from('late')))
          return Buffer.from('last')
        }),
      )
      await client.hasReceived(50)
      client[how]()
      await until(() => request.isDisconnected)
      left.resolve()
      expect(await ran.promise).toBeUndefined()
      expect(told.times).toBe(1)
    })

    test('while a stream waits for it to read', async () => {
      const client = host.open().send(GET)
      client.socket.pause()
      const { request, respond: answer } = await host.nextRequest()
      const ran = Promise.withResolvers<void>()
      const { promise: isFull, resolve: full } = Promise.withResolvers<void>()
      answer(
        streamedResponse(async (sink) => {
          await fill(sink, full)
          ran.resolve()
          return Buffer.from('last')
        }),
      )
      await isFull
      expect(host.pending).toBe(1)
      client[how]()
      await ran.promise
      expect(request.isDisconnected).toBeTrue()
    })

    test('while the response is buffered', async () => {
      const client = host.open().send(GET)
      client.socket.pause()
      const { request, respond: answer } = await host.nextRequest()
      const told = watchLeaving(request)
      answer({ ...textResponse(200, ''), body: Buffer.alloc(20_000_000) })
      await arrival()
      expect(host.pending).toBe(1)
      client[how]()
      await until(() => host.pending === 0)
      // The response was complete: this is no disconnect.
      expect(told.times).toBe(0)
    })
  })

  describe('a slow reader', () => {
    test('gets everything, at its own pace', async () => {
      const client = host.open().send(GET)
      client.socket.pause()
      const { respond: answer } = await host.nextRequest()
      const { promise: isFull, resolve: full } = Promise.withResolvers<void>()
      let bytes = 0
      answer(
        streamedResponse(async (sink) => {
          for (let times = 0; times < 3; times++) bytes += await fill(sink, full)
          return Buffer.from('last')
        }),
      )
      await isFull
      client.socket.resume()
      const { body, ending } = await client.response()
      expect([body.length, body.slice(-5), ending]).toEqual([bytes + 4, 'alast', 'chunks'])
      client.disconnect()
    })

    test('that never reads its response is cut off after a timeout', async () => {
      const client = host.open().send(GET)
      client.socket.pause()
      ;(await host.nextRequest()).respond({ ...textResponse(200, ''), body: Buffer.alloc(20_000_000) })
      await host.advance(70_000)
      expect(host.pending).toBe(1)
      await advanceUntil(() => host.pending === 0)
      client.disconnect()
    })
  })

  describe('a client that does not read its stream', () => {
    /** A stream whose bytes wait; `ran` resolves when its body has run to completion. */
    async function stalled() {
      const client = host.open().send(GET)
      client.socket.pause()
      const { request, respond } = await host.nextRequest()
      const told = watchLeaving(request)
      const ran = Promise.withResolvers<void>()
      const { promise: isFull, resolve: full } = Promise.withResolvers<void>()
      respond(
        streamedResponse(async (sink) => {
          while (!request.isDisconnected) await fill(sink, full)
          ran.resolve()
          return Buffer.from('last')
        }),
      )
      await isFull
      return { client, told, ran: ran.promise }
    }

    test('is cut off after a timeout, and counts as disconnected', async () => {
      const { client, told, ran } = await stalled()
      await host.advance(70_000)
      expect([host.pending, told.times]).toEqual([1, 0])
      await advanceUntil(() => told.times === 1)
      await ran
      expect(host.pending).toBe(0)
      client.disconnect()
    })

    test('is not cut off if it reads on from time to time', async () => {
      const { client, told, ran } = await stalled()
      for (let times = 0; times < 5; times++) {
        await host.advance(60_000)
        const before = client.receivedBytes
        client.socket.resume()
        await until(() => client.receivedBytes > before + 8_000_000)
        client.socket.pause()
        // Until the server has seen that bytes were taken.
        await host.advance(1_000)
      }
      expect([host.pending, told.times]).toEqual([1, 0])
      client.disconnect()
      await ran
    })
  })

  test('a stream that is silent for long is not cut off while its client reads', async () => {
    const client = host.open().send(GET)
    const { request, respond } = await host.nextRequest()
    const told = watchLeaving(request)
    const silence = Promise.withResolvers<void>()
    respond(
      streamedResponse(async (sink) => {
        await sink.write(Buffer.from('first'))
        await silence.promise
        return Buffer.from('last')
      }),
    )
    await client.hasReceived(50)
    for (let times = 0; times < 3; times++) await host.advance(3_600_000)
    silence.resolve()
    expect((await client.response()).body).toBe('firstlast')
    expect(told.times).toBe(0)
    client.disconnect()
  })

  test('a response that is given up is cut off at once', async () => {
    const client = host.open().send(GET)
    client.socket.pause()
    const { request, respond } = await host.nextRequest()
    const told = watchLeaving(request)
    const ran = Promise.withResolvers<void>()
    respond(
      streamedResponse(async (sink) => {
        await fill(sink, () => sink.abort?.())
        ran.resolve()
        return Buffer.from('last')
      }),
    )
    await ran.promise
    expect([host.pending, told.times]).toEqual([0, 1])
    client.disconnect()
  })

  describe('a stream that fails', () => {
    const failing = (first: string) =>
      streamedResponse(async (sink) => {
        await sink.write(Buffer.from(first))
        throw new Error('failed')
      })

    test('before its first byte is a 500', async () => {
      const client = host.open().send(GET)
      ;(await host.nextRequest()).respond(failing(''))
      const { status, headers } = await client.response()
      expect([status, headers.connection]).toEqual([500, 'close'])
      expect((await client.end()).rest).toBe('')
      client.disconnect()
    })

    test('after that is cut off without a further byte', async () => {
      const client = host.open().send(GET + GET)
      ;(await host.nextRequest()).respond(failing('first'))
      const { body, ending } = await client.response()
      expect([body, ending, (await client.end()).rest]).toEqual(['first', 'cut', ''])
      client.disconnect()
    })

    test('is reset where the end of the connection marks its end', async () => {
      const client = host.open().send('GET /a HTTP/1.0\r\n\r\n')
      ;(await host.nextRequest()).respond(failing('first'))
      expect((await client.end()).how).toBe('reset')
      client.disconnect()
    })
  })
})
