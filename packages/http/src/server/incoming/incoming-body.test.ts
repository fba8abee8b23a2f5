import { describe, expect, test } from 'bun:test'
import { Malformed } from '../../framing/chunked.ts'
import { type BodyFraming, ClientDisconnected, IncomingBody } from './incoming-body.ts'

function open(announced: Partial<BodyFraming> = {}) {
  const told: string[] = []
  const source = {
    pause: () => told.push('pause'),
    resume: () => told.push('resume'),
    sendContinue: () => told.push('continue'),
  }
  const body = new IncomingBody({ length: 5, isEncoded: false, expectsContinue: false, ...announced }, source)
  return { body, told }
}

const KIB = 1024
const bytes = (text: string) => Buffer.from(text, 'latin1')
const text = (piece: Uint8Array | undefined) => piece && Buffer.from(piece).toString('latin1')

async function readAll(body: IncomingBody): Promise<string> {
  let all = ''
  for (let piece = await body.read(); piece; piece = await body.read()) all += text(piece)
  return all
}

describe('a body of a known length', () => {
  test('is available at once, in one piece, if it has arrived', () => {
    const { body } = open()
    expect(body.push(bytes('hello'))).toBe(5)
    const piece = body.read()
    expect(text(piece instanceof Promise ? undefined : piece)).toBe('hello')
    expect(body.read()).toBeUndefined()
  })

  test('is given in one piece however it arrives', async () => {
    for (let at = 1; at < 5; at++) {
      const { body } = open()
      const reading = body.read()
      expect(body.push(bytes('hello').subarray(0, at))).toBe(at)
      expect([body.isComplete, body.remainingBytes]).toEqual([false, 5 - at])
      expect(body.push(bytes('hello').subarray(at))).toBe(5 - at)
      expect(text(await reading)).toBe('hello')
      expect([body.isComplete, body.remainingBytes, body.read()]).toEqual([true, 0, undefined])
    }
  })

  test('takes no bytes beyond its length', async () => {
    const { body } = open()
    expect(body.push(bytes('helloGET / HTTP/1.1'))).toBe(5)
    expect(await readAll(body)).toBe('hello')
  })

  test('that is empty is complete from the start', () => {
    const { body, told } = open({ length: 0, expectsContinue: true })
    expect([body.isComplete, body.remainingBytes, body.awaitsContinue, body.read()]).toEqual([
      true,
      0,
      false,
      undefined,
    ])
    expect(told).toEqual([])
  })

  test('is given as it arrives if it is large or grows by decompression', async () => {
    for (const { body } of [open({ length: 300 * KIB }), open({ length: 10, isEncoded: true })]) {
      body.push(bytes('abc'))
      expect(text(await body.read())).toBe('abc')
      body.push(bytes('de'))
      expect(text(await body.read())).toBe('de')
    }
  })
})

describe('a body in chunks', () => {
  const sent = '5\r\nhello\r\n1;a=b\r\n \r\n6\r\nworld!\r\n0\r\na: b\r\n\r\n'

  test('is decoded wherever the input is cut', async () => {
    for (let size = 1; size <= sent.length; size++) {
      const { body } = open({ length: 'chunked' })
      const reading = readAll(body)
      for (let at = 0; at < sent.length; at += size) {
        const piece = bytes(sent.slice(at, at + size))
        expect(body.push(piece)).toBe(piece.length)
        await Promise.resolve()
      }
      expect(await reading).toBe('hello world!')
      expect([body.isComplete, body.remainingBytes]).toEqual([true, 0])
    }
  })

  test('leaves the bytes after its end', () => {
    const { body } = open({ length: 'chunked' })
    expect(body.remainingBytes).toBe(Number.POSITIVE_INFINITY)
    expect(body.push(bytes(`${sent}GET /`))).toBe(sent.length)
  })

  test('that is malformed is reported', () => {
    expect(() => open({ length: 'chunked' }).body.push(bytes('x\r\n'))).toThrow(Malformed)
  })
})

describe('a body that is not read pauses the connection', () => {
  for (const announced of [{ length: 200 * KIB }, { length: 10_000 * KIB }, { length: 'chunked' }] as const) {
    test(`${announced.length}`, async () => {
      const { body, told } = open(announced)
      const piece = bytes(announced.length === 'chunked' ? `8000\r\n${'a'.repeat(32 * KIB)}\r\n` : 'a'.repeat(32 * KIB))
      body.push(piece)
      body.push(Buffer.from(piece))
      expect(told).toEqual([])
      body.push(Buffer.from(piece))
      body.push(Buffer.from(piece))
      expect(told).toEqual(['pause'])
      if (announced.length === 200 * KIB) void body.read()
      else for (let read = 0; read < 4; read++) await body.read()
      if (announced.length !== 200 * KIB) void body.read()
      expect(told).toEqual(['pause', 'resume'])
    })
  }

  test('not if the whole body has arrived', () => {
    const { body, told } = open({ length: 300 * KIB })
    body.push(Buffer.alloc(100 * KIB))
    body.push(Buffer.alloc(200 * KIB))
    expect([body.isComplete, told]).toEqual([true, ['pause', 'resume']])
  })

  test('not if it is discarded', async () => {
    const { body, told } = open({ length: 300 * KIB })
    body.push(Buffer.alloc(100 * KIB))
    body.discard()
    expect(body.push(Buffer.alloc(250 * KIB))).toBe(200 * KIB)
    expect([body.isComplete, told]).toEqual([true, ['pause', 'resume']])
  })
})

describe('a client that expects 100 Continue', () => {
  test('gets it on the first read only', () => {
    const { body, told } = open({ expectsContinue: true })
    expect(body.awaitsContinue).toBeTrue()
    void body.read()
    expect([body.awaitsContinue, told]).toEqual([false, ['continue']])
    body.push(bytes('he'))
    body.push(bytes('llo'))
    expect(body.read()).toBeUndefined()
    expect(told).toEqual(['continue'])
  })

  test('does not get it if it has sent the body', async () => {
    const { body, told } = open({ expectsContinue: true })
    body.push(bytes('he'))
    expect(body.awaitsContinue).toBeFalse()
    const reading = body.read()
    body.push(bytes('llo'))
    expect(text(await reading)).toBe('hello')
    expect(told).toEqual([])
  })

  test('does not get it if the body is discarded', () => {
    const { body, told } = open({ expectsContinue: true })
    body.discard()
    expect(() => body.read()).toThrow(ClientDisconnected)
    expect(told).toEqual([])
  })
})

describe('a client that disconnects', () => {
  test('fails the current and later reads', async () => {
    const { body } = open()
    const reading = body.read()
    body.fail(new ClientDisconnected('left'))
    expect(reading).rejects.toThrow(ClientDisconnected)
    expect(() => body.read()).toThrow(ClientDisconnected)
  })

  test('does not take back what has arrived', async () => {
    const { body } = open({ length: 'chunked' })
    body.push(bytes('3\r\nabc\r\n'))
    body.fail(new ClientDisconnected('left'))
    expect(text(await body.read())).toBe('abc')
    expect(() => body.read()).toThrow(ClientDisconnected)
  })

  test('after the end of its body fails nothing', async () => {
    const { body } = open()
    body.push(bytes('hello'))
    body.fail(new ClientDisconnected('left'))
    expect(await readAll(body)).toBe('hello')
  })
})

test('reading a discarded body fails', () => {
  const { body } = open()
  const reading = body.read()
  body.push(bytes('he'))
  body.discard()
  body.push(bytes('llo'))
  expect(reading).rejects.toThrow(ClientDisconnected)
})

test('buffered chunks are joined: an object per byte would take far more memory than the body', () => {
  const { body } = open({ length: 'chunked' })
  for (let count = 0; count < 1_000; count++) body.push(bytes('1\r\nx\r\n'))
  const piece = body.read()
  expect(piece instanceof Uint8Array && piece.length).toBe(1_000)
})

test('received bytes are counted with their framing', () => {
  const { body } = open({ length: 'chunked' })
  expect(body.received).toBe(0)
  body.push(bytes('5;a=b\r\nhel'))
  expect(body.received).toBe(10)
  body.push(bytes('lo\r\n0\r\n\r\nGET'))
  expect(body.received).toBe(19)
})
