// Pass-through streams: one event per read, as models send them, and many per read, as after a pause.
import { columnsPer, compare, cpuOf, type Figures, ratioOf, rowsOf } from '../harness/compare.ts'
import { type BenchOptions, micros, type Scenario, times, verdict } from '../harness/scenario.ts'
import { type StreamShape, smallRequest, streamPath } from '../harness/wire.ts'

const CONNECTIONS = 32

export const streams: Scenario = {
  number: 3,
  title: 'SSE pass-through',
  async run(options) {
    const one = { events: options.quick ? 100 : 400, perWrite: 1, everyMs: 8 }
    const many = { events: options.quick ? 4_000 : 20_000, perWrite: 200, everyMs: 0 }
    const single = await passThrough(one, options)
    const joined = await passThrough(many, options)
    return {
      columns: ['', ...columnsPer('event'), 'events per read'],
      rows: [...labelled('one event per read', single), ...labelled('many events per read', joined)],
      verdicts: [
        verdict('SSE, one event per read: CPU per event, to bare', ratioOf(single, 'gateway'), 2.4, times),
        verdict('SSE, many events per read: CPU per event', cpuOf(joined, 'gateway'), 2.5, micros),
      ],
    }
  },
}

function passThrough(shape: StreamShape, options: BenchOptions): Promise<Figures[]> {
  options.say(`  ${shape.perWrite === 1 ? 'one event' : 'many events'} per read`)
  const work = { upstreamPath: streamPath(shape), body: smallRequest('bench', true), connections: CONNECTIONS }
  return compare({ ...work, unitsPerRequest: shape.events, requests: CONNECTIONS, warmUp: 3 * CONNECTIONS }, options)
}

function labelled(label: string, figures: readonly Figures[]): string[][] {
  return rowsOf(figures).map((row, index) => [label, ...row, (figures[index]?.unitsPerRead ?? Number.NaN).toFixed(1)])
}
