// Translation from messages to a chat upstream through the canonical model, beside a bare proxy that forwards chat bytes.

import { columnsPer, compare, cpuOf, type Figures, ratioOf, rowsOf } from '../harness/compare.ts'
import { createHome } from '../harness/home.ts'
import { median, residentBytes } from '../harness/measure.ts'
import { type BenchOptions, megabytes, micros, type Scenario, times, verdict } from '../harness/scenario.ts'
import { startGateway, startUpstream } from '../harness/servers.ts'
import {
  jsonPath,
  MESSAGES_ANSWER,
  MESSAGES_TEXT,
  messagesRequest,
  type StreamShape,
  smallRequest,
  streamPath,
} from '../harness/wire.ts'
import { type LoadPlan, load } from '../load/load.ts'

const CONNECTIONS = 32
const PATH = '/v1/messages'

export const translatedJson: Scenario = {
  number: 8,
  title: 'Translated JSON: messages to a chat upstream',
  async run(options) {
    const requests = options.quick ? 1_000 : 4_000
    const figures = await compare(
      {
        upstreamPath: jsonPath,
        body: smallRequest('bench', false),
        connections: CONNECTIONS,
        unitsPerRequest: 1,
        requests,
        warmUp: 10 * requests,
        translated: { path: PATH, body: messagesRequest('bench', false), mark: MESSAGES_ANSWER },
      },
      options,
    )
    return {
      columns: columnsPer('request'),
      rows: rowsOf(figures),
      verdicts: [verdict('translated JSON: CPU per request, to bare', ratioOf(figures, 'gateway'), 3.3, times)],
    }
  },
}

export const translatedStreams: Scenario = {
  number: 9,
  title: 'Translated SSE: messages from a chat upstream',
  async run(options) {
    const single = await streamed({ events: options.quick ? 100 : 400, perWrite: 1, everyMs: 8 }, options)
    const joined = await streamed({ events: options.quick ? 4_000 : 20_000, perWrite: 200, everyMs: 0 }, options)
    return {
      columns: ['', ...columnsPer('event')],
      rows: [...labelled('one event per read', single), ...labelled('many events per read', joined)],
      verdicts: [
        verdict('translated SSE, one event per read: CPU per event, to bare', ratioOf(single, 'gateway'), 3.2, times),
        verdict('translated SSE, many events per read: CPU per event', cpuOf(joined, 'gateway'), 4, micros),
      ],
    }
  },
}

const LONG = { events: 100_000, perWrite: 20, everyMs: 1 }
const LONG_STREAMS = 8
const SAMPLE_EVERY_MS = 200

/** Memory must not grow with the length of a stream. */
export const translatedLong: Scenario = {
  number: 10,
  title: `${LONG_STREAMS} translated streams of 100,000 events each`,
  async run({ quick, say }) {
    const shape = { ...LONG, events: quick ? LONG.events / 5 : LONG.events }
    const upstream = await startUpstream()
    const home = await createHome(upstream, streamPath(shape))
    const gateway = await startGateway(home)
    try {
      const plan: LoadPlan = {
        host: '127.0.0.1',
        port: gateway.port,
        path: PATH,
        body: messagesRequest('bench', true),
        keys: home.keys,
        connections: LONG_STREAMS,
        requests: LONG_STREAMS,
        reader: 'reads',
      }
      // Warm-up, so that one-time allocations are done.
      await load(plan)
      const samples = await sampledDuring(load(plan), gateway.pid)
      const third = Math.ceil(samples.length / 3)
      const [early, late] = [median(samples.slice(0, third)), median(samples.slice(-third))]
      say(`  resident: ${samples.map(megabytes).join(', ')}`)
      return {
        columns: ['', 'resident, median'],
        rows: [
          ['first third of the streams', megabytes(early)],
          ['last third', megabytes(late)],
        ],
        verdicts: [verdict('translated streams of 100,000 events: resident, late to early', late / early, 1.1, times)],
      }
    } finally {
      await gateway.stop()
      await upstream.stop()
      home.remove()
    }
  },
}

async function sampledDuring(work: Promise<unknown>, pid: number): Promise<number[]> {
  const samples: number[] = []
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    await Bun.sleep(SAMPLE_EVERY_MS)
    samples.push(residentBytes(pid))
  }
  await over
  return samples
}

function streamed(shape: StreamShape, options: BenchOptions): Promise<Figures[]> {
  options.say(`  ${shape.events} events, ${shape.perWrite === 1 ? 'one' : 'many'} per read`)
  const work = { upstreamPath: streamPath(shape), body: smallRequest('bench', true), connections: CONNECTIONS }
  const translated = { path: PATH, body: messagesRequest('bench', true), mark: MESSAGES_TEXT }
  const counts = { unitsPerRequest: shape.events, requests: CONNECTIONS, warmUp: 3 * CONNECTIONS }
  return compare({ ...work, ...counts, translated }, options)
}

const labelled = (label: string, figures: readonly Figures[]): string[][] =>
  rowsOf(figures).map((row) => [label, ...row])
