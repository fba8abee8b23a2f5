// Streams, as they are and translated, by how many there are and by the protocol of the upstream: one event per read, as models send them,
// and many per read, as after a pause.
import { columnsPer, compare, cpuOf, type Figures, ratioOf, rowsOf } from '../harness/compare.ts'
import { type BenchOptions, micros, type Scenario, times, type Verdict, verdict } from '../harness/scenario.ts'
import type { UpstreamProtocol } from '../harness/server.ts'
import { nginxVersion } from '../harness/servers.ts'
import { MESSAGES_TEXT, messagesRequest, type StreamShape, smallRequest, streamPath } from '../harness/wire.ts'

/** So many streams at once, each of which brings an event every few milliseconds: what arrives together is more with more of them. */
const STREAMS = [
  { connections: 8, events: 1_000, everyMs: 4 },
  { connections: 64, events: 300, everyMs: 16 },
  { connections: 1_000, events: 100, everyMs: 80 },
]
const JOINED_STREAMS = 32
const JOINED_EVENTS = 20_000
const MOST = { gateway: 1.3, translating: 1.5 }
/** The ratio to bare with few streams, to that with more. */
const MOST_OF_FEW = 1.2

export const streams: Scenario = { number: 3, title: 'Streams', run: (options) => overEach(['http'], options) }

export const httpsStreams: Scenario = {
  number: 12,
  title: 'Streams from upstreams over TLS',
  run: (options) => overEach(['https/1.1', 'https/2'], options),
}

type Measured = { protocol: UpstreamProtocol; label: string; figures: Figures[] }

async function overEach(protocols: readonly UpstreamProtocol[], options: BenchOptions) {
  const measured: Measured[] = []
  const verdicts: Verdict[] = []
  for (const protocol of protocols) {
    const single: Figures[][] = []
    for (const { connections, events, everyMs } of STREAMS) {
      const shape = { events: options.quick ? events / 4 : events, perWrite: 1, everyMs }
      const [label, figures] = [`${connections} streams`, await stream(connections, shape, protocol, options)]
      measured.push({ protocol, label, figures })
      single.push(figures)
      for (const [name, most] of Object.entries(MOST))
        verdicts.push(
          verdict(`${label} over ${protocol}, ${name}: CPU per event, to bare`, ratioOf(figures, name), most, times),
        )
    }
    const [few = [], more = []] = single
    const ofFew = ratioOf(few, 'gateway') / ratioOf(more, 'gateway')
    verdicts.push(verdict(`over ${protocol}: the ratio with 8 streams, to that with 64`, ofFew, MOST_OF_FEW, times))
    const many = { events: options.quick ? JOINED_EVENTS / 5 : JOINED_EVENTS, perWrite: 200, everyMs: 0 }
    const figures = await stream(JOINED_STREAMS, many, protocol, options)
    measured.push({ protocol, label: 'many events per read', figures })
    if (protocol === 'http')
      verdicts.push(verdict('many events per read: CPU per event', cpuOf(figures, 'gateway'), 2.5, micros))
  }
  return {
    columns: ['', 'upstream', ...columnsPer('event'), 'events per read'],
    rows: measured.flatMap(rowsWith),
    verdicts,
  }
}

function stream(connections: number, shape: StreamShape, protocol: UpstreamProtocol, options: BenchOptions) {
  options.say(
    `  ${connections} streams over ${protocol}, ${shape.perWrite === 1 ? 'one event' : 'many events'} per read`,
  )
  const work = { upstreamPath: streamPath(shape), protocol, body: smallRequest('bench', true), connections }
  const counts = { unitsPerRequest: shape.events, requests: connections, warmUp: 3 * connections }
  const translating = { path: '/v1/messages', body: messagesRequest('bench', true), mark: MESSAGES_TEXT }
  return compare({ ...work, ...counts, translating }, options)
}

function rowsWith({ protocol, label, figures }: Measured): string[][] {
  const rows = rowsOf(figures).map((row, at) => [
    label,
    protocol,
    ...row,
    (figures[at]?.unitsPerRead ?? Number.NaN).toFixed(1),
  ])
  if (figures.some(({ name }) => name === 'nginx')) return rows
  const why = nginxVersion() ? 'nginx: calls no upstream over HTTP/2' : 'nginx: not installed'
  return [...rows, [label, protocol, why, ...Array(columnsPer('event').length).fill('')]]
}
