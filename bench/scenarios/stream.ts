// Pass-through streams: one event per read, as models send them, and many per read, as after a pause.
import { columnsPer, compare, cpuOf, type Figures, ratioOf, rowsOf } from '../harness/compare.ts'
import { type BenchOptions, micros, type Scenario, times, verdict } from '../harness/scenario.ts'
import { type StreamShape, smallRequest, streamPath } from '../harness/wire.ts'

/** So many streams at once, each of which brings an event every few milliseconds: what arrives together is more with more of them. */
const STREAMS = [
  { connections: 8, events: 1_000, everyMs: 4 },
  { connections: 64, events: 300, everyMs: 16 },
  { connections: 1_000, events: 100, everyMs: 80 },
]
const JOINED_STREAMS = 32

export const streams: Scenario = {
  number: 3,
  title: 'SSE pass-through',
  async run(options) {
    const single = new Map<string, Figures[]>()
    for (const { connections, events, everyMs } of STREAMS) {
      const shape = { events: options.quick ? events / 4 : events, perWrite: 1, everyMs }
      single.set(`${connections} streams`, await passThrough(connections, shape, options))
    }
    const many = { events: options.quick ? 4_000 : 20_000, perWrite: 200, everyMs: 0 }
    const joined = await passThrough(JOINED_STREAMS, many, options)
    return {
      columns: ['', ...columnsPer('event'), 'events per read'],
      rows: [
        ...[...single].flatMap(([label, figures]) => labelled(label, figures)),
        ...labelled('many events per read', joined),
      ],
      verdicts: [
        ...[...single].map(([label, figures]) =>
          verdict(`SSE, ${label}, one event per read: CPU per event, to bare`, ratioOf(figures, 'gateway'), 1.3, times),
        ),
        verdict('SSE, many events per read: CPU per event', cpuOf(joined, 'gateway'), 2.5, micros),
      ],
    }
  },
}

function passThrough(connections: number, shape: StreamShape, options: BenchOptions): Promise<Figures[]> {
  options.say(`  ${connections} streams, ${shape.perWrite === 1 ? 'one event' : 'many events'} per read`)
  const work = { upstreamPath: streamPath(shape), body: smallRequest('bench', true), connections }
  const counts = { unitsPerRequest: shape.events, requests: connections, warmUp: 3 * connections }
  return compare({ ...work, ...counts }, options)
}

function labelled(label: string, figures: readonly Figures[]): string[][] {
  return rowsOf(figures).map((row, index) => [label, ...row, (figures[index]?.unitsPerRead ?? Number.NaN).toFixed(1)])
}
