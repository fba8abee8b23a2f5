// A client of the messages protocol, an upstream that speaks chat: everything goes through the canonical model. Beside
// it a bare proxy, which has nothing to do but to pass the chat bytes on.
import { columnsPer, compare, cpuOf, type Figures, ratioOf, rowsOf } from './compare.ts'
import { type BenchOptions, megabytes, micros, type Scenario, times, verdict } from './scenario.ts'
import {
  jsonPath,
  MESSAGES_ANSWER,
  MESSAGES_TEXT,
  messagesRequest,
  type StreamShape,
  smallRequest,
  streamPath,
} from './wire.ts'

const CONNECTIONS = 32
const PATH = '/v1/messages'

export const translatedJson: Scenario = {
  number: 8,
  title: 'Translated JSON: messages to a chat upstream',
  async run(options) {
    const requests = options.quick ? 1_000 : 4_000
    const figures = await compare(
      {
        ...{ upstreamPath: jsonPath, body: smallRequest('bench', false), connections: CONNECTIONS, unitsPerRequest: 1 },
        ...{ requests, warmUp: 3 * requests },
        translated: { path: PATH, body: messagesRequest('bench', false), mark: MESSAGES_ANSWER },
      },
      options,
    )
    return {
      columns: columnsPer('request'),
      rows: rowsOf(figures),
      verdicts: [verdict('translated JSON: CPU per request, to bare', ratioOf(figures, 'gateway'), 3, times)],
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
        verdict('translated SSE, one event per read: CPU per event, to bare', ratioOf(single, 'gateway'), 2.5, times),
        verdict('translated SSE, many events per read: CPU per event', cpuOf(joined, 'gateway'), 4, micros),
      ],
    }
  },
}

/** Memory must not depend on how long a stream is. */
export const translatedLong: Scenario = {
  number: 10,
  title: 'Translated streams of 10,000 and of 100,000 events',
  async run(options) {
    const few = { ...options, rounds: 1 }
    const shape = (events: number) => ({ events, perWrite: 200, everyMs: 0 })
    const short = residentOf(await streamed(shape(10_000), few))
    const long = residentOf(await streamed(shape(options.quick ? 20_000 : 100_000), few))
    return {
      columns: ['', 'resident'],
      rows: [
        ['10,000 events', megabytes(short)],
        [options.quick ? '20,000 events' : '100,000 events', megabytes(long)],
      ],
      verdicts: [verdict('translated stream of 100,000 events: resident, to 10,000 events', long / short, 1.15, times)],
    }
  },
}

const residentOf = (figures: readonly Figures[]): number =>
  figures.find(({ name }) => name === 'gateway')?.resident ?? Number.NaN

function streamed(shape: StreamShape, options: BenchOptions): Promise<Figures[]> {
  options.say(`  ${shape.events} events, ${shape.perWrite === 1 ? 'one' : 'many'} per read`)
  const work = { upstreamPath: streamPath(shape), body: smallRequest('bench', true), connections: CONNECTIONS }
  const translated = { path: PATH, body: messagesRequest('bench', true), mark: MESSAGES_TEXT }
  const counts = { unitsPerRequest: shape.events, requests: CONNECTIONS, warmUp: 3 * CONNECTIONS }
  return compare({ ...work, ...counts, translated }, options)
}

const labelled = (label: string, figures: readonly Figures[]): string[][] =>
  rowsOf(figures).map((row) => [label, ...row])
