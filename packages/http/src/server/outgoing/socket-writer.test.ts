import { describe, expect, test } from 'bun:test'
import { SocketWriter } from './socket-writer.ts'
import { StreamedResponse } from './streamed-response.ts'

/** Accepts as many bytes as it has room for; -1 if it is closed. */
function fakeSocket(room = Number.POSITIVE_INFINITY) {
  const socket = {
    room,
    text: '',
    writes: 0,
    write(data: unknown, offset = 0, length?: number): number {
      if (!(data instanceof Uint8Array)) throw new TypeError('bytes only')
      if (socket.room < 0) return -1
      const bytes = data.subarray(offset, length === undefined ? undefined : offset + length)
      const taken = Math.min(bytes.length, socket.room)
      socket.room -= taken
      socket.text += Buffer.from(bytes.subarray(0, taken)).toString('latin1')
      socket.writes++
      return taken
    },
  }
  return socket
}

const now = () => 0
const bytes = (text: string) => Buffer.from(text, 'latin1')
const LARGE = 'x'.repeat(100_000)
const LONG = 'h'.repeat(20_000)

describe('everything is written in order', () => {
  const frames: [name: string, before: string, body: string, after: string][] = [
    ['a small response', 'head', 'body', ''],
    ['nothing but a head', 'head', '', ''],
    ['a chunk', '4\r\n', 'body', '\r\n'],
    ['non-ASCII bytes', 'h\xe4ad', '\xff\x00', '\xe9'],
    ['a large body', 'head', LARGE, ''],
    ['a large chunk', '186a0\r\n', LARGE, '\r\n'],
    ['a long head', LONG, 'body', '\r\n'],
  ]
  for (const [name, before, body, after] of frames) {
    test(name, () => {
      for (const room of [0, 1, 3, 4, 5, 10_000, 70_000, Number.POSITIVE_INFINITY]) {
        const socket = fakeSocket(room)
        const outgoing = new SocketWriter(socket, now)
        outgoing.write(before, bytes(body), after)
        outgoing.write('next', bytes('one'), '')
        while (!outgoing.isEmpty) {
          socket.room = Math.max(7, Math.min(room, 50_000))
          outgoing.flush()
        }
        expect(socket.text).toBe(`${before}${body}${after}nextone`)
      }
    })
  }

  test('a small response in one write', () => {
    const socket = fakeSocket()
    new SocketWriter(socket, now).write('head', bytes('body'), '')
    expect(socket.writes).toBe(1)
  })

  test('buffered bytes are not changed by the writes of another connection', () => {
    const stalled = fakeSocket(2)
    const outgoing = new SocketWriter(stalled, now)
    outgoing.write('head', bytes('body'), '')
    new SocketWriter(fakeSocket(), now).write('other', bytes('thing'), '')
    stalled.room = 100
    outgoing.flush()
    expect(stalled.text).toBe('headbody')
  })
})

describe('waiting for the socket to drain', () => {
  test('ends when everything is written', async () => {
    const socket = fakeSocket(2)
    const outgoing = new SocketWriter(socket, now)
    outgoing.write('head', bytes('body'), '')
    let isDrained = false
    const waiting = outgoing.drained().then(() => {
      isDrained = true
    })
    socket.room = 1
    outgoing.flush()
    await Promise.resolve()
    expect([isDrained, outgoing.isEmpty]).toEqual([false, false])
    socket.room = 10
    outgoing.flush()
    await waiting
    expect(outgoing.isEmpty).toBeTrue()
  })

  test('ends when the socket is closed, and nothing is kept', async () => {
    const socket = fakeSocket(2)
    const outgoing = new SocketWriter(socket, now)
    outgoing.write('head', bytes('body'), '')
    const waiting = outgoing.drained()
    outgoing.close()
    await waiting
    outgoing.write('more', bytes(''), '')
    expect([outgoing.isEmpty, socket.text]).toEqual([true, 'he'])
  })

  test('a closed socket takes nothing', () => {
    const outgoing = new SocketWriter(fakeSocket(-1), now)
    outgoing.write('head', bytes('body'), '')
    outgoing.write('', bytes(LARGE), '')
    expect(outgoing.isEmpty).toBeFalse()
    outgoing.flush()
    expect(outgoing.isEmpty).toBeFalse()
  })
})

describe('a streamed response', () => {
  function open(inChunks: boolean, room?: number, length?: number) {
    const socket = fakeSocket(room)
    return {
      socket,
      stream: new StreamedResponse(new SocketWriter(socket, now), {
        lines: 'HEAD\r\n',
        inChunks,
        length,
        cut: () => {},
      }),
    }
  }

  test('in chunks', () => {
    const { socket, stream } = open(true)
    expect([stream.hasBegun, socket.text]).toEqual([false, ''])
    stream.write(bytes('hello'))
    expect(stream.hasBegun).toBeTrue()
    stream.flush()
    stream.write(bytes(''))
    stream.write(bytes('x'.repeat(16)))
    stream.flush()
    stream.end(bytes('end'))
    const head = 'HEAD\r\ntransfer-encoding: chunked\r\n\r\n'
    expect(socket.text).toBe(`${head}5\r\nhello\r\n10\r\n${'x'.repeat(16)}\r\n3\r\nend\r\n0\r\n\r\n`)
    expect(socket.writes).toBe(3)
  })

  test('without a body', () => {
    const { socket, stream } = open(true)
    stream.end(bytes(''))
    expect(socket.text).toBe('HEAD\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n')
  })

  test('of an announced length is not sent in chunks, and is neither longer nor shorter', () => {
    for (const inChunks of [true, false]) {
      const { socket, stream } = open(inChunks, undefined, 8)
      stream.write(bytes('hello'))
      expect(() => stream.write(bytes('more'))).toThrow('longer')
      stream.end(bytes('end'))
      expect(socket.text).toBe('HEAD\r\ncontent-length: 8\r\n\r\nhelloend')
      const short = open(inChunks, undefined, 8).stream
      short.write(bytes('hello'))
      expect(() => short.end(bytes(''))).toThrow('3 bytes before')
    }
  })

  test('that ends with the connection', () => {
    const { socket, stream } = open(false)
    stream.write(bytes('hello'))
    stream.end(bytes('end'))
    expect(socket.text).toBe('HEAD\r\n\r\nhelloend')
  })

  test.each([1, 15, 16, 255, 256, 4_095, 4_096, 65_535, 65_536, 65_537])('a chunk of %d bytes', (length) => {
    const { socket, stream } = open(true)
    stream.write(bytes('first'))
    stream.flush()
    const before = socket.text.length
    stream.write(bytes('x'.repeat(length)))
    stream.flush()
    expect(socket.text.slice(before)).toBe(`${length.toString(16)}\r\n${'x'.repeat(length)}\r\n`)
  })

  test('sends what one turn of the event loop brings as one piece, at its end', async () => {
    const { socket, stream } = open(true)
    stream.write(bytes('one'))
    stream.write(bytes('two'))
    expect([stream.hasBegun, socket.writes]).toEqual([true, 0])
    await new Promise((resolve) => setImmediate(resolve))
    expect(socket.text).toEndWith('6\r\nonetwo\r\n')
    expect(socket.writes).toBe(1)
  })

  test('does not keep much of one turn', () => {
    const { socket, stream } = open(true)
    for (let count = 0; count < 1_000; count++) stream.write(bytes('x'.repeat(1_000)))
    expect(socket.text.length).toBeGreaterThan(980_000)
    expect(socket.writes).toBeLessThan(130)
  })

  test('what waits for the end of the turn leaves before the end of the response', () => {
    const { socket, stream } = open(true)
    stream.write(bytes('one'))
    stream.end(bytes('two'))
    expect(socket.text).toEndWith('3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n')
  })

  test('tells the writer to wait: at once for a large piece, else for the one that finds others unsent', () => {
    expect(open(true).stream.write(bytes('hello'))).toBeUndefined()
    expect(open(true, 3).stream.write(bytes('x'.repeat(20_000)))).toBeInstanceOf(Promise)
    const { stream } = open(true, 3)
    expect(stream.write(bytes('hello'))).toBeUndefined()
    stream.flush()
    expect(stream.write(bytes('hello'))).toBeInstanceOf(Promise)
  })

  test('takes no writes after its end: the connection may have another one by then', () => {
    const { socket, stream } = open(true)
    stream.end(bytes('end'))
    const sent = socket.text
    expect(stream.write(bytes('late'))).toBeUndefined()
    stream.end(bytes('late'))
    expect(socket.text).toBe(sent)
  })
})
