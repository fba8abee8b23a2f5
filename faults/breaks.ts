// Connections that break: everything that TCP can do to a response, at every position of it.

import { setTimeout as sleep } from 'node:timers/promises'
import { chunk, head, STREAM_HEAD } from '../test/support/upstreams/raw-upstream.ts'
import type { Wire } from './answer.ts'
import { both, brokenOff, completed, type Expected, type Fault, rejected } from './fault.ts'
import { type CutPosition, forward, framingOf, pause, sendUpTo } from './wire.ts'

const HOW = {
  reset: { end: ({ socket }: Wire) => void socket.resetAndDestroy(), outcome: 'cut', status: 502 },
  fin: { end: ({ socket }: Wire) => void socket.end(), outcome: 'cut', status: 502 },
  stall: { end: () => {}, outcome: 'timeout', status: 504 },
} as const

/** Positions before any output, and after some. */
const WHERE: Record<Exclude<CutPosition, 'all'>, { words: string; out: boolean }> = {
  headers: { words: 'after-headers', out: false },
  'first-event': { words: 'in-first-event', out: false },
  output: { words: 'mid-event', out: true },
  said: { words: 'after-last-token', out: true },
}

const ways = Object.keys(HOW) as (keyof typeof HOW)[]

const crossed = ways.flatMap((how) =>
  (Object.keys(WHERE) as (keyof typeof WHERE)[]).map((where): Fault => {
    const { end, outcome, status } = HOW[how]
    const { words, out } = WHERE[where]
    const before: Expected = rejected(status, outcome)
    return {
      name: `${how}-${words}`,
      at: 'proxy',
      streamed: out ? brokenOff(outcome) : before,
      single: before,
      ...(how === 'stall' ? { timeouts: 'short' as const } : {}),
      async respond(wire) {
        await sendUpTo(wire, where)
        end(wire)
      },
    }
  }),
)

const behind = (how: keyof typeof HOW, words: string, streamed: Expected, only: Fault['only'] = []): Fault => ({
  name: `${how}-${words}`,
  at: 'proxy',
  streamed,
  single: completed,
  only,
  // An end needs no timeout: a short one would only meet a busy machine, before the first byte.
  ...(how === 'stall' ? { timeouts: 'short' } : {}),
  async respond(wire) {
    // After a complete body the connection already serves another request.
    if (!wire.streamed) return await forward(wire)
    await sendUpTo(wire, 'all')
    HOW[how].end(wire)
  },
})

/** A body without a length ends with its connection, so the end of the connection does not prove that it is complete. */
const untilClose = ({ streamed }: Wire) => ({
  top: `HTTP/1.1 200 OK\r\ncontent-type: ${streamed ? 'text/event-stream' : 'application/json'}\r\nconnection: close\r\n\r\n`,
  frame: Buffer.from,
  end: '',
})

const DRIP_BYTES_AT_ONCE = 7

export const BREAKS: readonly Fault[] = [
  ...crossed,
  {
    name: 'reset-before-headers',
    at: 'proxy',
    ...both(rejected(502)),
    respond: ({ socket }) => void socket.resetAndDestroy(),
  },
  { name: 'fin-before-headers', at: 'proxy', ...both(rejected(502)), respond: ({ socket }) => void socket.end() },
  {
    name: 'reset-in-headers',
    at: 'proxy',
    ...both(rejected(502)),
    async respond({ socket }) {
      socket.write(STREAM_HEAD.slice(0, 30))
      await pause()
      socket.resetAndDestroy()
    },
  },
  {
    name: 'half-open',
    at: 'proxy',
    ...both(rejected(504, 'timeout')),
    timeouts: 'short',
    respond: ({ socket }) => void socket.write(STREAM_HEAD.slice(0, 30)),
  },
  { name: 'accept-and-hang', at: 'deaf', ...both(rejected(504, 'timeout')), timeouts: 'short' },
  { name: 'connection-refused', at: 'refusing', ...both(rejected(502)) },
  { name: 'dns-failure', at: 'unknown', ...both(rejected(502)) },
  { name: 'not-tls', at: 'not-tls', ...both(rejected(502)) },
  {
    name: 'until-close-in-the-middle',
    at: 'proxy',
    streamed: brokenOff('cut'),
    single: rejected(502),
    async respond(wire) {
      await sendUpTo(wire, 'output', untilClose(wire))
      wire.socket.end()
    },
  },
  {
    name: 'until-close',
    at: 'proxy',
    ...both(completed),
    async respond(wire) {
      await sendUpTo(wire, 'all', untilClose(wire))
      wire.socket.end()
    },
  },
  // The response is complete, however the connection ends.
  ...ways.map((how) => behind(how, 'after-last-event', completed, ['chat', 'responses', 'messages'])),
  // Only the end of the connection shows that this was the last event, since services repeat the finish reason.
  ...ways.map((how) =>
    behind(how, 'after-finish', { status: 200, outcome: HOW[how].outcome, costs: 'reported' }, ['generate-content']),
  ),
  {
    name: 'reset-after-finish-before-usage',
    at: 'proxy',
    only: ['chat'],
    streamed: brokenOff('cut'),
    single: rejected(502, 'cut'),
    async respond(wire) {
      const { socket, streamed, pieces } = wire
      if (!streamed) await sendUpTo(wire, 'said')
      else {
        const { top, frame } = framingOf(wire)
        const isUsage = (piece: string) => piece.includes('"usage":{') || piece.includes('[DONE]')
        socket.write(Buffer.concat([Buffer.from(top), ...pieces.filter((piece) => !isUsage(piece)).map(frame)]))
        await wire.delivered()
        await pause()
      }
      socket.resetAndDestroy()
    },
  },
  {
    name: 'byte-by-byte',
    at: 'proxy',
    ...both(completed),
    async respond(wire) {
      const { top, frame, end } = framingOf(wire)
      const bytes = Buffer.concat([Buffer.from(top), ...wire.pieces.map(frame), Buffer.from(end)])
      for (let at = 0; at < bytes.length; at += DRIP_BYTES_AT_ONCE) {
        wire.socket.write(bytes.subarray(at, at + DRIP_BYTES_AT_ONCE))
        await sleep(1)
      }
    },
  },
  {
    // Never silent, but without content: only the total timeout ends it.
    name: 'slow-for-ever',
    at: 'proxy',
    ...both(rejected(504, 'timeout')),
    timeouts: 'total',
    async respond({ socket, streamed }) {
      socket.write(streamed ? STREAM_HEAD : head(200, 1_000_000))
      while (!socket.destroyed) {
        socket.write(streamed ? chunk(': still here\n\n') : ' ')
        await sleep(50)
      }
    },
  },
  // Never silent for as long as the idle timeout, but without a complete event.
  ...(['headers', 'output'] as const).map(
    (where): Fault => ({
      name: `byte-per-second-after-${where}`,
      at: 'proxy',
      timeouts: 'byte',
      single: rejected(504, 'timeout'),
      streamed: where === 'output' ? brokenOff('timeout') : rejected(504, 'timeout'),
      async respond(wire) {
        const { socket, streamed } = wire
        await sendUpTo(wire, where)
        while (!socket.destroyed) {
          socket.write(streamed ? chunk('{') : '{')
          await sleep(1_000)
        }
      },
    }),
  ),
  { name: 'nothing-wrong', at: 'proxy', ...both(completed), respond: forward },
]
