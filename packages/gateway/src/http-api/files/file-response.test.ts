import { describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { fixedHeaders, ResponseHeaders, type Sink, type StreamedBody } from '@trivium/http/response.ts'
import { serveForTest } from '../../../../http/test-support/serve.ts'
import { createReadSlots } from '../../overload/reads/read-slots.ts'
import { createReads } from '../../overload/reads/reads.ts'
import { createConcurrentCalls } from '../concurrent-calls.ts'
import { type CsvLine, csvOf, csvResponse } from './file-response.ts'

test.each([
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['a "b"', '"a ""b"""'],
  ['two\nlines', '"two\nlines"'],
  ['=1+1', "'=1+1"],
  ['-2.50', '-2.50'],
  ['-x', "'-x"],
])('the cell %j is written as %j', (text, written) => {
  expect(csvOf([[text, '']])).toBe(`${written},\r\n`)
})

const PAGES: readonly CsvLine[][] = [[['a'], ['b']], [], [['c']]]

describe('a long file', () => {
  /** `read` grows as pages are read. */
  function open(pages: readonly CsvLine[][] = PAGES) {
    const http = { isDisconnected: false, headers: new Headers() }
    const state = { read: 0 }
    async function* read() {
      for (const page of pages) {
        state.read++
        yield page
      }
    }
    const call = { http, headers: new ResponseHeaders(fixedHeaders({}), 'req_1'), account: { id: 1n } }
    const slots = createReadSlots({
      clock: () => 0,
      cpuMs: () => 0,
      isContended: () => false,
      later: (_, run) => setImmediate(run),
    })
    const threadTime = { turn: () => undefined, run: <T>(_: bigint, work: () => T) => work() }
    const reads = createReads({ slots, clock: () => 0, admission: { isSaturated: false, rejected: 0, threadTime } })
    const opened = csvResponse(call as never, 'file', read(), { reads })
    return { http, state, opened, body: async () => (await opened).body as StreamedBody }
  }
  const written: string[] = []
  const sinkOf = (write: Sink['write']): Sink => ({ write })
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()

  test('has all pages, each read after the one before was taken', async () => {
    const { state, body } = open()
    const readAt: number[] = []
    const sink = sinkOf((bytes) => {
      written.push(text(bytes))
      readAt.push(state.read)
      return undefined
    })
    const { run } = await body()
    expect(state.read).toBe(1)
    written.push(text(await run(sink)))
    expect(written.join('')).toBe('a\r\nb\r\nc\r\n')
    expect(readAt).toEqual([2, 3])
  })

  test('lets other events in between two pages', async () => {
    const { body } = open()
    let isOtherServed = false
    const { run } = await body()
    setImmediate(() => {
      isOtherServed = true
    })
    await run(sinkOf(() => undefined))
    expect(isOtherServed).toBe(true)
  })

  test('is not read on after the client has disconnected', async () => {
    const { http, state, body } = open()
    const { run } = await body()
    http.isDisconnected = true
    await run(sinkOf(() => undefined))
    expect(state.read).toBe(1)
  })

  test('is not read on for a client that does not read', async () => {
    const pages = Array.from({ length: 1_000 }, () => [['x'.repeat(100_000)]])
    const { http, state, opened } = open(pages)
    const response = await opened
    const server = serveForTest((request) => {
      request.onDisconnect = () => {
        http.isDisconnected = true
      }
      return response
    })
    const socket = connect(server.port, '127.0.0.1').pause()
    socket.write('GET /a HTTP/1.1\r\nHost: a\r\n\r\n')
    // The system takes a while to fill its buffers, and each byte that it takes is progress.
    for (let steps = 0; steps < 200 && !http.isDisconnected; steps++) await server.advance(25_000)
    const { read } = state
    expect([http.isDisconnected, server.server.pending, read < pages.length / 2]).toEqual([true, 0, true])
    await Bun.sleep(20)
    expect(state.read).toBeLessThanOrEqual(read + 1)
    socket.destroy()
    await server.stop()
  })

  test('counts as a request in progress until its end', async () => {
    const calls = createConcurrentCalls(() => ({ release: () => {} }), { most: 1, mostOfOne: 1 })
    const { opened } = open()
    const response = await calls('account', () => opened)
    await expect(calls('account', () => opened)).rejects.toThrow('Too many requests are in progress.')
    await (response?.body as StreamedBody).run(sinkOf(() => undefined))
    const plain = { status: 200, headers: (await opened).headers, body: new Uint8Array() }
    expect(await calls('account', async () => plain)).toBe(plain)
    await expect(calls('account', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await calls('account', async () => plain)).toBe(plain)
  })
})
