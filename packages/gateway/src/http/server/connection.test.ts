// The life of a connection: clients that leave, stall or take their time, and the end of the server.
import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import type { Answer, Sink } from '../answer.ts'
import type { HttpRequest } from '../request.ts'
import { serveForTest } from '../test-support.ts'
import { Gone } from './incoming-body.ts'
import { RawClient } from './test-client.ts'
import { readText, streamedAnswer, textAnswer } from './test-handler.ts'

/** A request that the test answers itself. */
type Visit = { request: HttpRequest; answer(answer: Answer): void }
const visits: Visit[] = []
let arrived = Promise.withResolvers<void>()
async function visit(): Promise<Visit> {
  for (;;) {
    const next = visits.shift()
    if (next) return next
    await arrived.promise
  }
}

const failures: unknown[] = []
const start = () =>
  serveForTest(
    (request) => {
      const { promise, resolve } = Promise.withResolvers<Answer>()
      visits.push({ request, answer: resolve })
      arrived.resolve()
      arrived = Promise.withResolvers<void>()
      return promise
    },
    { failed: (error) => void failures.push(error) },
  )
let host = start()
const open = () => new RawClient(host.port)
const GET = 'GET /a HTTP/1.1\r\nHost: a\r\n\r\n'
const post = (length: number, body: string) => `POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${body}`

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(2)
}

/** After every test: nothing is being answered, no connection is left, nothing has failed. */
afterEach(async () => {
  await until(() => host.server.pending === 0)
  await host.server.stop(false)
  await host.stop()
  expect(failures.splice(0)).toEqual([])
  expect(visits.splice(0)).toEqual([])
  host = start()
})
afterAll(() => host.stop())

/** Counts how often it is told that the client has left. */
function watchLeaving(request: HttpRequest): { times: number } {
  const told = { times: 0 }
  request.onGone = () => void told.times++
  return told
}

describe.each(['leave', 'reset'] as const)('a client that goes (%s)', (how) => {
  test('before it has asked for anything', async () => {
    const client = open()
    await new Promise((resolve) => client.socket.once('connect', resolve))
    client[how]()
  })

  test('within a head', async () => {
    const client = open().send(GET.slice(0, 20))
    await Bun.sleep(10)
    client[how]()
  })

  test('within a body that is being read', async () => {
    const client = open().send(post(10, 'hello'))
    const { request, answer } = await visit()
    const told = watchLeaving(request)
    const reading = readText(request)
    client[how]()
    expect(reading).rejects.toThrow(Gone)
    await until(() => request.isGone)
    answer(textAnswer(200, 'late'))
    expect([told.times, request.signal.aborted]).toEqual([1, true])
  })

  test('within a body that nobody reads', async () => {
    const client = open().send(post(10, 'hello'))
    const { request, answer } = await visit()
    const { signal } = request
    client[how]()
    await until(() => request.isGone)
    expect(signal.aborted).toBeTrue()
    expect(() => request.body.read()).toThrow(Gone)
    answer(textAnswer(200, 'late'))
  })

  test('before the answer, which is brought to its end all the same', async () => {
    const client = open().send(GET)
    const { request, answer } = await visit()
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
    const client = open().send(GET)
    const { request, answer } = await visit()
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
    const client = open().send(GET)
    client.socket.pause()
    const { request, answer } = await visit()
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
    expect(host.server.pending).toBe(1)
    client[how]()
    await ran.promise
    expect(request.isGone).toBeTrue()
  })

  test('while what was answered has not left', async () => {
    const client = open().send(GET)
    client.socket.pause()
    const { request, answer } = await visit()
    const told = watchLeaving(request)
    answer({ ...textAnswer(200, ''), body: Buffer.alloc(20_000_000) })
    await Bun.sleep(10)
    expect(host.server.pending).toBe(1)
    client[how]()
    await until(() => host.server.pending === 0)
    // It was answered: what the client does with that is its own affair.
    expect(told.times).toBe(0)
  })
})

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

describe('a slow reader', () => {
  test('gets everything, at its own pace', async () => {
    const client = open().send(GET)
    client.socket.pause()
    const { answer } = await visit()
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
    const client = open().send(GET)
    client.socket.pause()
    ;(await visit()).answer({ ...textAnswer(200, ''), body: Buffer.alloc(20_000_000) })
    await host.advance(70_000)
    expect(host.server.pending).toBe(1)
    await host.advance(10_000)
    await until(() => host.server.pending === 0)
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
    const client = open().send(GET)
    ;(await visit()).answer(failing(''))
    const { status, headers } = await client.answer()
    expect([status, headers.connection]).toEqual([500, 'close'])
    expect((await client.end()).rest).toBe('')
    client.leave()
  })

  test('after that is broken off, and nothing else is said', async () => {
    const client = open().send(GET + GET)
    ;(await visit()).answer(failing('first'))
    const { body, ending } = await client.answer()
    expect([body, ending, (await client.end()).rest]).toEqual(['first', 'cut', ''])
    client.leave()
  })

  test('where only the end of the connection tells the end, is reset', async () => {
    const client = open().send('GET /a HTTP/1.0\r\n\r\n')
    ;(await visit()).answer(failing('first'))
    expect((await client.end()).how).toBe('reset')
    client.leave()
  })
})

describe('time', () => {
  test('a head has so much in all, however it comes', async () => {
    const client = open().send(GET.slice(0, 5))
    await Bun.sleep(10)
    for (const letter of GET.slice(5, 8)) {
      await host.advance(9_000)
      client.send(letter)
    }
    await host.advance(5_000)
    const { status, headers } = await client.answer()
    expect([status, headers.connection]).toEqual([408, 'close'])
    client.leave()
  })

  test('the next head has as much, counted from its own beginning', async () => {
    const client = open().send(GET)
    ;(await visit()).answer(textAnswer(200, 'one'))
    await client.answer()
    await host.advance(50_000)
    client.send(GET.slice(0, 10))
    await Bun.sleep(10)
    await host.advance(25_000)
    client.send(GET.slice(10))
    ;(await visit()).answer(textAnswer(200, 'two'))
    expect((await client.answer()).body).toBe('two')
    client.send(GET.slice(0, 10))
    await Bun.sleep(10)
    await host.advance(31_000)
    expect((await client.answer()).status).toBe(408)
    client.leave()
  })

  test('idle connections are closed without a word', async () => {
    const silent = open()
    await new Promise((resolve) => silent.socket.once('connect', resolve))
    const idle = open().send(GET)
    ;(await visit()).answer(textAnswer(200, 'one'))
    await idle.answer()
    await host.advance(70_000)
    await host.advance(6_000)
    for (const client of [silent, idle]) {
      expect(await client.end()).toEqual({ rest: '', how: 'end' })
      client.leave()
    }
  })

  test('a request that takes long is not idle', async () => {
    const client = open().send(GET)
    const { answer } = await visit()
    await host.advance(1_000_000)
    answer(textAnswer(200, 'at last'))
    expect((await client.answer()).body).toBe('at last')
    client.leave()
  })

  test('who does not end a connection that is closed is cut off', async () => {
    const client = open().send('GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    ;(await visit()).answer(textAnswer(200, 'one'))
    await client.answer()
    expect((await client.end()).how).toBe('end')
    await host.advance(31_000)
    // Would wait for the client otherwise.
    await host.server.stop(false)
    client.leave()
  })

  test('who does not send the rest of an unwanted body is cut off', async () => {
    const client = open().send(post(10, 'hello'))
    ;(await visit()).answer(textAnswer(401, 'no'))
    expect((await client.answer()).status).toBe(401)
    expect(host.server.pending).toBe(0)
    await host.advance(76_000)
    await client.end()
    client.leave()
  })
})

describe('the end of the server', () => {
  test('what runs is answered, and told that it is the end', async () => {
    const busy = open().send(GET)
    const idle = open()
    const { answer } = await visit()
    await Bun.sleep(10)
    const stopped = host.server.stop(false)
    expect(await idle.end()).toEqual({ rest: '', how: 'end' })
    idle.leave()
    answer(textAnswer(200, 'last'))
    const { body, headers } = await busy.answer()
    expect([body, headers.connection]).toEqual(['last', 'close'])
    await busy.end()
    busy.leave()
    await stopped
  })

  test('a stream that had begun ends, and its connection with it', async () => {
    const client = open().send(GET)
    const { answer } = await visit()
    const going = Promise.withResolvers<void>()
    answer(
      streamedAnswer(async (sink) => {
        await sink.write(Buffer.from('first'))
        await going.promise
        return Buffer.from('last')
      }),
    )
    await client.hasReceived(50)
    const stopped = host.server.stop(false)
    going.resolve()
    expect((await client.answer()).body).toBe('firstlast')
    expect(await client.end()).toEqual({ rest: '', how: 'end' })
    client.leave()
    await stopped
  })

  test('a request that has begun to come is answered', async () => {
    const client = open().send(GET.slice(0, 10))
    await Bun.sleep(10)
    const stopped = host.server.stop(false)
    client.send(GET.slice(10) + GET)
    ;(await visit()).answer(textAnswer(200, 'last'))
    expect((await client.answer()).headers.connection).toBe('close')
    expect(await client.end()).toEqual({ rest: '', how: 'end' })
    client.leave()
    await stopped
  })

  test('nobody new is let in', async () => {
    const client = open().send(GET)
    const { answer } = await visit()
    const stopped = host.server.stop(false)
    const late = open()
    expect((await late.end()).how).toBe('reset')
    answer(textAnswer(200, 'last'))
    await client.answer()
    client.leave()
    await stopped
  })

  test('or everything is cut off', async () => {
    const clients = [open().send(GET), open().send(GET.slice(0, 10)), open()]
    const { request, answer } = await visit()
    await Bun.sleep(10)
    await host.server.stop(true)
    expect([request.isGone, host.server.pending]).toEqual([true, 0])
    for (const client of clients) {
      await client.end()
      client.leave()
    }
    answer(textAnswer(200, 'late'))
  })
})
