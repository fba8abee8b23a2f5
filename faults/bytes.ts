// Responses with wrong bytes: encodings, line ends, lengths, types, headers, and endless ones.
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { constants, deflateRawSync, gzipSync } from 'node:zlib'
import { chunk, head, LAST_CHUNK, STREAM_HEAD } from '../test/support/upstreams/raw-upstream.ts'
import type { Wire } from './answer.ts'
import { both, brokenOff, completed, type Fault, rejected } from './fault.ts'
import { ELSEWHERE, forward, framingOf, pause, sendUpTo } from './wire.ts'

const MEBIBYTE = 1024 * 1024

const proxied = (
  name: string,
  expected: Pick<Fault, 'streamed' | 'single'>,
  play: NonNullable<Fault['respond']>,
): Fault => ({
  name,
  at: 'proxy',
  ...expected,
  respond: play,
})

/** The response with changed text, framed correctly. */
const changed = (change: (text: string, wire: Wire) => string | Buffer) => (wire: Wire) => {
  const whole = Buffer.from(change(wire.pieces.join(''), wire))
  const rest = wire.streamed ? [STREAM_HEAD, chunk(whole), LAST_CHUNK] : [head(200, whole.length), whole]
  wire.socket.write(Buffer.concat(rest.map((part) => Buffer.from(part))))
}

/** A stream or a body with these headers besides, or instead. */
const withHeaders =
  (more: string, body = (wire: Wire): Buffer => Buffer.from(wire.pieces.join(''))) =>
  (wire: Wire) => {
    const bytes = body(wire)
    const type = /^content-type:/im.test(more)
      ? ''
      : `content-type: ${wire.streamed ? 'text/event-stream' : 'application/json'}\r\n`
    const length = /^(content-length|transfer-encoding):/im.test(more) ? '' : `content-length: ${bytes.length}\r\n`
    wire.socket.write(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${type}${length}${more}\r\n`), bytes]))
  }

/** Sends these bytes, whatever the request. */
const instead =
  (bytes: string | Buffer) =>
  ({ socket }: Wire) =>
    void socket.write(Buffer.from(bytes))

/** Sends the same bytes repeatedly, for as long as the other side reads them. */
async function pour({ socket }: Wire, bytes: Buffer, most: number): Promise<void> {
  for (let sent = 0; sent < most && !socket.destroyed; sent += bytes.length) {
    if (socket.write(bytes)) continue
    await drained(socket)
  }
  socket.end()
}

function drained(socket: Socket): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  socket.once('drain', resolve).once('close', resolve)
  return promise.finally(() => socket.off('drain', resolve).off('close', resolve))
}

const NO_END = 1024 * MEBIBYTE
const FILL = Buffer.alloc(MEBIBYTE, 'x')

async function endlessLine(wire: Wire): Promise<void> {
  if (!wire.streamed) {
    wire.socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{"a":"')
    return await pour(wire, FILL, NO_END)
  }
  wire.socket.write(Buffer.concat([Buffer.from(STREAM_HEAD), chunk('data: ')]))
  await pour(wire, chunk(FILL), NO_END)
}

/** A gibibyte in a mebibyte. The blocks are independent, so one is compressed once and repeated. */
async function bomb(wire: Wire): Promise<void> {
  const begun = deflateRawSync(wire.streamed ? 'data: ' : '{"a":"', { finishFlush: constants.Z_SYNC_FLUSH })
  const block = deflateRawSync(FILL, { finishFlush: constants.Z_SYNC_FLUSH })
  const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])
  const type = wire.streamed ? 'text/event-stream' : 'application/json'
  wire.socket.write(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n`)
  wire.socket.write(Buffer.concat([header, begun]))
  await pour(wire, block, (NO_END / MEBIBYTE) * block.length)
}

/** Enough of a UTF-8 character to be cut, and its first byte where no character begins. */
const inText = (text: string, bytes: Buffer): Buffer => {
  const whole = Buffer.from(text)
  const at = whole.indexOf('北')
  return Buffer.concat([whole.subarray(0, at), bytes, whole.subarray(at + 3)])
}

const lineEnds = (end: string) =>
  changed((text, { streamed }) => (streamed ? text.replaceAll('\n', end) : end + text + end))

const REDIRECTS = [301, 302, 303, 307, 308]

export const BYTES: readonly Fault[] = [
  proxied('not-http', both(rejected(502)), ({ socket }) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n\r\n')),
  proxied('bad-chunk-size', { streamed: brokenOff('cut'), single: rejected(502, 'cut') }, async (wire) => {
    if (!wire.streamed)
      return instead('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n')(
        wire,
      )
    await sendUpTo(wire, 'said')
    wire.socket.write('ZZ\r\nnonsense\r\n')
  }),
  { ...proxied('endless-line', both(rejected(502)), endlessLine), heavy: true },
  {
    ...proxied('endless-line-after-output', { streamed: brokenOff('failed'), single: rejected(502) }, async (wire) => {
      if (!wire.streamed) return await endlessLine(wire)
      await sendUpTo(wire, 'said')
      wire.socket.write(chunk('data: '))
      await pour(wire, chunk(FILL), NO_END)
    }),
    heavy: true,
    fullRunOnly: true,
  },
  {
    // The lines end, the event does not.
    ...proxied('endless-event', both(rejected(502)), async (wire) => {
      if (!wire.streamed) return await endlessLine(wire)
      wire.socket.write(STREAM_HEAD)
      await pour(wire, chunk(`data: ${'x'.repeat(65_000)}\n`.repeat(8)), NO_END)
    }),
    heavy: true,
  },
  { ...proxied('gzip-bomb', both(rejected(502)), bomb), heavy: true },
  proxied(
    'gzip',
    both(completed),
    withHeaders('content-encoding: gzip\r\n', ({ pieces }) => gzipSync(pieces.join(''))),
  ),
  proxied(
    'stacked-encodings',
    { streamed: rejected(502, 'cut'), single: rejected(502) },
    withHeaders('content-encoding: gzip, gzip\r\n', ({ pieces }) => gzipSync(gzipSync(pieces.join('')))),
  ),
  // The encoding is unknown, but the body is readable.
  proxied('unknown-encoding', both(completed), withHeaders('content-encoding: rot13\r\n')),
  proxied('gzip-that-is-not', both(rejected(502, 'cut')), withHeaders('content-encoding: gzip\r\n')),
  proxied('cr', both(completed), lineEnds('\r')),
  proxied('lf', both(completed), lineEnds('\n')),
  proxied('crlf', both(completed), lineEnds('\r\n')),
  proxied(
    'byte-order-mark',
    both(completed),
    changed((text) => `\ufeff${text}`),
  ),
  proxied('utf8-in-pieces', both(completed), async (wire) => {
    const { top, frame, end } = framingOf(wire)
    const whole = Buffer.from(wire.pieces.join(''))
    const at = whole.indexOf('北') + 1
    wire.socket.write(Buffer.concat([Buffer.from(top), frame(whole.subarray(0, at))]))
    await sleep(20)
    wire.socket.write(Buffer.concat([frame(whole.subarray(at)), Buffer.from(end)]))
  }),
  {
    ...proxied(
      'utf8-cut',
      both(completed),
      changed((text) => inText(text, Buffer.from([0xe5, 0x8c]))),
    ),
    garbled: true,
  },
  {
    ...proxied(
      'utf8-invalid',
      both(completed),
      changed((text) => inText(text, Buffer.from([0xff, 0xc0, 0x80]))),
    ),
    garbled: true,
  },
  proxied('no-type', { streamed: rejected(502), single: completed }, withHeaders('content-type: \r\n')),
  proxied('type-of-the-other', { streamed: rejected(502), single: completed }, (wire) =>
    withHeaders(`content-type: ${wire.streamed ? 'application/json' : 'text/event-stream'}\r\n`)(wire),
  ),
  proxied('type-with-charset', both(completed), (wire) =>
    withHeaders(`content-type: ${wire.streamed ? 'Text/Event-Stream' : 'application/json'};charset=UTF-8\r\n`)(wire),
  ),
  {
    // Generate-content has no last event: see `fin-after-finish`.
    ...proxied('length-too-long', { streamed: completed, single: rejected(502, 'cut') }, async (wire) => {
      withHeaders(`content-length: ${Buffer.byteLength(wire.pieces.join('')) + 100}\r\n`)(wire)
      await pause()
      wire.socket.end()
    }),
    only: ['chat', 'responses', 'messages'],
  },
  proxied(
    'length-too-short',
    { streamed: rejected(502, 'cut'), single: rejected(502) },
    withHeaders('content-length: 40\r\n'),
  ),
  proxied('two-lengths', both(rejected(502)), (wire) => {
    const bytes = Buffer.byteLength(wire.pieces.join(''))
    withHeaders(`content-length: ${bytes}\r\ncontent-length: 40\r\n`)(wire)
  }),
  proxied('negative-length', both(rejected(502)), withHeaders('content-length: -1\r\n')),
  ...REDIRECTS.map(
    (status): Fault => ({
      ...proxied(`redirect-${status}`, both(rejected(502)), ({ socket, origin }) => {
        socket.write(head(status, 0, { location: `${origin}${ELSEWHERE}/x/v1/chat/completions` }))
      }),
      ...(status === 307 ? {} : { fullRunOnly: true }),
    }),
  ),
  {
    ...proxied('header-of-1-mib', both(completed), withHeaders(`x-large: ${'a'.repeat(MEBIBYTE)}\r\n`)),
    heavy: true,
  },
  {
    ...proxied('headers-of-1-mib', both(rejected(502)), withHeaders('x-many: 0123456789\r\n'.repeat(50_000))),
    heavy: true,
    fullRunOnly: true,
  },
  proxied('early-hints', both(completed), (wire) => {
    wire.socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n')
    return forward(wire)
  }),
]
