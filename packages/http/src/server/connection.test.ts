// Clients that leave, stall or get half an answer, at each stage of a request.
import { describe, expect, test } from 'bun:test'
import type { HttpRequest } from '../request.ts'
import type { Sink } from '../response.ts'
import { Gone } from './incoming-body.ts'
import { readText, streamedAnswer, textAnswer } from './test-handler.ts'
import { arrival, describeBoth, GET, post, until } from './test-visits.ts'

/** Counts how often it is told that the client has left. */
function watchLeaving(request: HttpRequest): { times: number } {
  const told = { times: 0 }
  request.onGone = () => void told.times++
  return told
}

/** Writes until it has to wait, tells of that, waits. */
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
  describe.each(['leave', 'reset'] as const)('a client that goes (%s)', (how) => {
    test('before it has asked for anything', async () => {
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
      const { request, answer } = await host.visit()
      const told = watchLeaving(request)
      const reading = readText(request)
      client[how]()
      expect(reading).rejects.toThrow(Gone)
      await until(() => request.isGone)
      answer(textAnswer(200, 'late'))
      expect(told.times).toBe(1)
    })

    test('within a body that nobody reads', async () => {
      const client = host.open().send(post(10, 'hello'))
      const { request, answer } = await host.visit()
      client[how]()
      await until(() => request.isGone)
      expect(() => request.body.read()).toThrow(Gone)
      answer(textAnswer(200, 'late'))
    })

    test('before the answer, which is brought to its end all the same', async () => {
      const client = host.open().send(GET)
      const { request, answer } = await host.visit()
      const told = watchLeaving(request)
      client[how]()
      await until(() => request.isGone)
      const ran = Promise.withResolvers<unknown>()
      answer(
        streamedAnswer(async (sink) => {
          ran.resolve(sink.write(Buffer.from('late')))
          throw new Error('and it may fail')
        }),
      )
      expect(await ran.promise).toBeUndefined()
      expect(told.times).toBe(1)
    })

    test('within a stream', async () => {
      const client = host.open().send(GET)
      const { request, answer } = await host.visit()
      const told = watchLeaving(request)
      const left = Promise.withResolvers<void>()
      const ran = Promise.withResolvers<unknown>()
      answer(
        streamedAnswer(async (sink) => {
          await sink.write(Buffer.from('first'))
          await left.promise
          ran.resolve(sink.write(Buffer.from('late')))
          return Buffer.from('last')
        }),
      )
      await client.hasReceived(50)
      client[how]()
      await until(() => request.isGone)
      left.resolve()
      expect(await ran.promise).toBeUndefined()
      expect(told.times).toBe(1)
    })

    test('while a stream waits for it', async () => {
      const client = host.open().send(GET)
      client.socket.pause()
      const { request, answer } = await host.visit()
      const ran = Promise.withResolvers<void>()
      const { promise: isFull, resolve: full } = Promise.withResolvers<void>()
      answer(
        streamedAnswer(async (sink) => {
          await fill(sink, full)
          ran.resolve()
          return Buffer.from('last')
        }),
      )
      await isFull
      expect(host.pending).toBe(1)
      client[how]()
      await ran.promise
      expect(request.isGone).toBeTrue()
    })

    test('while what was answered has not left', async () => {
      const client = host.open().send(GET)
      client.socket.pause()
      const { request, answer } = await host.visit()
      const told = watchLeaving(request)
      answer({ ...textAnswer(200, ''), body: Buffer.alloc(20_000_000) })
      await arrival()
      expect(host.pending).toBe(1)
      client[how]()
      await until(() => host.pending === 0)
      // It was answered: what the client does with that is its own affair.
      expect(told.times).toBe(0)
    })
  })

  describe('a slow reader', () => {
    test('gets everything, at its own pace', async () => {
      const client = host.open().send(GET)
      client.socket.pause()
      const { answer } = await host.visit()
      const { promise: isFull, resolve: full } = Promise.withResolvers<void>()
      let bytes = 0
      answer(
        streamedAnswer(async (sink) => {
          for (let times = 0; times < 3; times++) bytes += await fill(sink, full)
          return Buffer.from('last')
        }),
      )
      await isFull
      client.socket.resume()
      const { body, ending } = await client.answer()
      expect([body.length, body.slice(-5), ending]).toEqual([bytes + 4, 'alast', 'chunks'])
      client.leave()
    })

    test('that never reads its answer is cut off after a while', async () => {
      const client = host.open().send(GET)
      client.socket.pause()
      ;(await host.visit()).answer({ ...textAnswer(200, ''), body: Buffer.alloc(20_000_000) })
      await host.advance(70_000)
      expect(host.pending).toBe(1)
      await host.advance(10_000)
      await until(() => host.pending === 0)
      client.leave()
    })
  })

  describe('a stream that fails', () => {
    const failing = (first: string) =>
      streamedAnswer(async (sink) => {
        await sink.write(Buffer.from(first))
        throw new Error('failed')
      })

    test('before its first byte is a 500', async () => {
      const client = host.open().send(GET)
      ;(await host.visit()).answer(failing(''))
      const { status, headers } = await client.answer()
      expect([status, headers.connection]).toEqual([500, 'close'])
      expect((await client.end()).rest).toBe('')
      client.leave()
    })

    test('after that is broken off, and nothing else is said', async () => {
      const client = host.open().send(GET + GET)
      ;(await host.visit()).answer(failing('first'))
      const { body, ending } = await client.answer()
      expect([body, ending, (await client.end()).rest]).toEqual(['first', 'cut', ''])
      client.leave()
    })

    test('where only the end of the connection tells the end, is reset', async () => {
      const client = host.open().send('GET /a HTTP/1.0\r\n\r\n')
      ;(await host.visit()).answer(failing('first'))
      expect((await client.end()).how).toBe('reset')
      client.leave()
    })
  })
})
