// How much a client can make a connection buffer, on a socket that accepts as many bytes as the test says.

import { describe, expect, test } from 'bun:test'
import type { Socket } from 'bun'
import { readText, textResponse } from '../../test-support/handler.ts'
import type { HttpRequest } from '../request.ts'
import type { HttpResponse } from '../response.ts'
import { ADMIT_ALL } from './admission-gate.ts'
import { Connection } from './connection.ts'
import type { Handler } from './server-context.ts'

const KIB = 1024

function connect(handle: Handler) {
  const did: string[] = []
  const socket = {
    remoteAddress: '127.0.0.1',
    room: Number.POSITIVE_INFINITY,
    text: '',
    write(data: Uint8Array, offset = 0, length = data.length - offset): number {
      const taken = Math.min(length, socket.room)
      socket.room -= taken
      socket.text += Buffer.from(data.subarray(offset, offset + taken)).toString('latin1')
      return taken
    },
    pause: () => did.push('pause'),
    resume: () => did.push('resume'),
    shutdown: () => did.push('shutdown'),
    terminate: () => did.push('terminate'),
  }
  const owner = {
    handle,
    gate: ADMIT_ALL,
    now: () => 0,
    date: () => '',
    isDraining: () => false,
    isStopping: () => false,
    closed: () => {},
    malformed: () => {},
    failed(error: unknown): void {
      throw error
    },
  }
  const connection = new Connection(owner, socket as unknown as Socket<Connection>)
  const receive = (text: string) => connection.received(Buffer.from(text, 'latin1'))
  return { connection, socket, did, receive, answers: () => socket.text.split('HTTP/1.1 ').length - 1 }
}

const GET = 'GET /a HTTP/1.1\r\nHost: a\r\n\r\n'
const post = (length: number, body: string) => `POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${body}`

describe('responses that the client does not read', () => {
  test('are produced one at a time', () => {
    let asked = 0
    const { connection, socket, did, receive, answers } = connect(() => {
      asked++
      return textResponse(200, 'x'.repeat(1000))
    })
    socket.room = 10
    receive(GET.repeat(100))
    expect(asked).toBe(1)
    for (let times = 0; times < 30; times++) receive(GET.repeat(100))
    expect([asked, did]).toEqual([1, ['pause']])
    socket.room = 100_000
    connection.drained()
    expect(asked).toBeLessThan(100)
    socket.room = Number.POSITIVE_INFINITY
    connection.drained()
    expect([asked, answers(), did]).toEqual([3100, 3100, ['pause', 'resume']])
  })
})

describe('pipelined requests', () => {
  test('pause reading at the buffer limit, and resume it', async () => {
    let answerFirst = (_: HttpResponse) => {}
    const first = new Promise<HttpResponse>((resolve) => {
      answerFirst = resolve
    })
    let asked = 0
    const { did, receive, answers } = connect(() => (++asked === 1 ? first : textResponse(200, '')))
    receive(GET)
    receive(GET.repeat(2000))
    expect(did).toEqual([])
    receive(GET.repeat(2000))
    expect([asked, did]).toEqual([1, ['pause']])
    answerFirst(textResponse(200, ''))
    await Bun.sleep(0)
    expect([answers(), did]).toEqual([4001, ['pause', 'resume']])
  })

  test('do not keep the last one from receiving its body', async () => {
    // The buffer is just above its limit, and the body of its last request just below.
    const length = 100 * KIB
    const last = post(length, 'x'.repeat(63 * KIB))
    const turns: (() => void)[] = []
    const { did, receive, socket } = connect(async (request) => {
      if (request.method === 'GET') await new Promise<void>((resolve) => turns.push(resolve))
      return textResponse(200, `${(await readText(request)).length} bytes`)
    })
    receive(GET)
    receive(GET.repeat(80) + last)
    expect(did).toEqual(['pause'])
    for (let times = 0; times < 81; times++) {
      turns[times]?.()
      await Bun.sleep(0)
    }
    expect(did).toEqual(['pause', 'resume'])
    receive('x'.repeat(37 * KIB))
    await Bun.sleep(0)
    expect(socket.text).toEndWith(`${length} bytes`)
  })
})

describe('a body that the handler does not read', () => {
  const silent = () => {
    let request: HttpRequest | undefined
    const never = new Promise<HttpResponse>(() => {})
    const connected = connect((asked) => {
      request = asked
      return never
    })
    return { ...connected, asked: () => request }
  }

  test.each([
    ['with a length', post(10_000 * KIB, '')],
    ['in one piece', post(200 * KIB, '')],
    ['in chunks', 'POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n9c4000\r\n'],
  ])('%s pauses the connection until it is read', async (_, head) => {
    const { did, receive, asked } = silent()
    receive(head)
    receive('x'.repeat(64 * KIB))
    expect(did).toEqual([])
    receive('x')
    expect(did).toEqual(['pause'])
    void asked()?.body.read()
    void asked()?.body.read()
    void asked()?.body.read()
    expect(did).toEqual(['pause', 'resume'])
  })

  test('is discarded once the response is complete', async () => {
    const { connection, did, receive, answers } = connect(() => Bun.sleep(0).then(() => textResponse(401, '')))
    receive(post(200 * KIB, 'x'.repeat(100 * KIB)))
    expect(did).toEqual(['pause'])
    await Bun.sleep(5)
    expect([did, answers()]).toEqual([['pause', 'resume'], 1])
    receive('x'.repeat(100 * KIB) + GET)
    await Bun.sleep(5)
    expect([answers(), connection.isBusy, did]).toEqual([2, false, ['pause', 'resume']])
  })
})

test('bytes after the end of the connection are not kept', () => {
  const { did, receive, answers } = connect(() => textResponse(200, '', { connection: 'close' }))
  receive(GET + GET.repeat(10_000))
  for (let times = 0; times < 10; times++) receive(GET.repeat(10_000))
  expect([answers(), did]).toEqual([1, ['shutdown']])
})
