import { describe, expect, test } from 'bun:test'
import { RequestWriter } from './request-writer.ts'

/** A socket that accepts this many bytes at a time. */
function socketTaking(room: number) {
  const taken: Buffer[] = []
  return {
    write(bytes: Uint8Array, start: number, length: number): number {
      taken.push(Buffer.from(bytes.subarray(start, start + Math.min(room, length))))
      return Math.min(room, length)
    },
    writes: () => taken.length,
    text: () => Buffer.concat(taken).toString('latin1'),
  }
}

function sendAll(unsent: RequestWriter, socket: ReturnType<typeof socketTaking>): void {
  for (let drains = 0; !unsent.writeTo(socket); drains++) if (drains > 10_000) throw new Error('it never ends')
}

const HEAD = Buffer.from('POST / HTTP/1.1\r\nx: y\r\n\r\n')
const piece = (letter: string, size: number) => Buffer.alloc(size, letter)
const textOf = (pieces: Buffer[]) => Buffer.concat([HEAD, ...pieces]).toString('latin1')

describe('everything is written in order, however little the socket accepts at a time', () => {
  const bodies: [name: string, body: Buffer[]][] = [
    ['none', []],
    ['small', [piece('a', 3), piece('b', 0), piece('c', 5)]],
    ['larger than what is written at once', [piece('a', 200_000), piece('b', 3), piece('c', 700_000), piece('d', 9)]],
  ]
  for (const [name, body] of bodies) {
    for (const room of [body.length > 3 ? 997 : 1, 70_000, Number.POSITIVE_INFINITY]) {
      test(`${name}, ${room} bytes`, () => {
        const socket = socketTaking(room)
        sendAll(new RequestWriter([HEAD, ...body]), socket)
        expect(socket.text() === textOf(body)).toBe(true)
      })
    }
  }
})

test('head and body are written at once', () => {
  const socket = socketTaking(Number.POSITIVE_INFINITY)
  expect(new RequestWriter([HEAD, piece('a', 80_000), piece('b', 40)]).writeTo(socket)).toBe(true)
  expect(socket.writes()).toBe(1)
})

test('two writers that wait for room do not mix', () => {
  const [first, second] = [socketTaking(1_000), socketTaking(1_300)]
  const [a, b] = [[piece('a', 30_000)], [piece('b', 30_000)]]
  const [one, other] = [new RequestWriter([HEAD, ...a]), new RequestWriter([HEAD, ...b])]
  for (let isDone = false; !isDone; ) isDone = [one.writeTo(first), other.writeTo(second)].every(Boolean)
  expect([first.text() === textOf(a), second.text() === textOf(b)]).toEqual([true, true])
})

test('a closed socket accepts nothing', () => {
  const unsent = new RequestWriter([HEAD, piece('a', 10)])
  expect(unsent.writeTo({ write: () => -1 })).toBe(false)
  const socket = socketTaking(Number.POSITIVE_INFINITY)
  expect(unsent.writeTo(socket)).toBe(true)
  expect(socket.text()).toBe(textOf([piece('a', 10)]))
})

for (const before of [0, 10, HEAD.length, HEAD.length + 5_000, 350_000]) {
  test(`what is left after ${before} bytes does not need the memory of the body`, () => {
    const body = [new Uint8Array(300_000).fill(0x61), new Uint8Array(100_000).fill(0x62)]
    const expected = textOf(body.map((each) => Buffer.from(each)))
    const sent: string[] = []
    let room = before
    const socket = {
      write(bytes: Uint8Array, start: number, length: number): number {
        const taken = Math.min(room, length)
        sent.push(Buffer.from(bytes.subarray(start, start + taken)).toString('latin1'))
        room -= taken
        return taken
      },
    }
    const unsent = new RequestWriter([HEAD, ...body])
    expect(unsent.writeTo(socket)).toBe(false)
    for (const { buffer } of body) buffer.transfer(0)
    room = Number.POSITIVE_INFINITY
    expect(unsent.writeTo(socket)).toBe(true)
    expect(sent.join('') === expected).toBe(true)
  })
}
