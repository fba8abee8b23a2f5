// Faults by the sandbox's own switches, and error statuses.
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { head } from '../test/support/upstreams/raw-upstream.ts'
import { both, brokenOff, completed, counted, type Expected, type Fault, free, rejected } from './fault.ts'
import { forward } from './wire.ts'

const sandbox = (name: string, expected: Pick<Fault, 'streamed' | 'single'>, more: Partial<Fault> = {}): Fault => ({
  name,
  at: 'sandbox',
  switches: () => name,
  ...expected,
  ...more,
})
/** Through the proxy, which waits until the first output is delivered before it sends the rest. */
const proxied = (...given: Parameters<typeof sandbox>): Fault => ({ ...sandbox(...given), at: 'proxy' })

const apart = (streamed: Expected, single: Expected) => ({ streamed, single })

/** A number of events of the sandbox after its first output. */
const AFTER: Record<TextDialectId, number> = { chat: 4, responses: 7, messages: 5, 'generate-content': 3 }
const after = (name: string) => (dialect: TextDialectId) => `${name}=${AFTER[dialect]}`

/** What an upstream sends, and what the caller sees. */
const STATUSES: readonly (readonly [sent: readonly number[], seen: number])[] = [
  [[400, 422], 400],
  [[401, 402, 403, 404, 405, 409, 418, 451, 500, 501, 502, 599], 502],
  [[413], 413],
  [[429], 429],
  [[503, 529], 503],
  [[408, 504], 504],
]

/** The statuses in the sample; the others are handled like one of these. */
const SAMPLED_STATUSES = [400, 403, 413, 429, 500, 503, 529]

/** Where the finish reason is what ends a stream, one without it is cut; without the last event there is no usage either. */
const NO_FINISH: readonly (readonly [dialects: readonly TextDialectId[], streamed: Expected])[] = [
  [['chat', 'messages'], completed],
  [['generate-content'], { ...brokenOff('cut'), costs: 'reported' }],
  [['responses'], brokenOff('cut')],
]

/** A status that only this dialect has. */
const OVERLOADED: Fault['own'] = { dialect: 'messages', status: 529 }

/** Far too large, negative, invalid, and a far date. */
const RETRY_AFTER = ['99999999999999', '-1', 'soon', 'Infinity', '1e9', 'Fri, 31 Dec 9999 23:59:59 GMT']

const limited = RETRY_AFTER.map(
  (value, index): Fault => ({
    name: `429-retry-after-${index + 1}`,
    at: 'proxy',
    ...both(rejected(429)),
    ...(index > 1 ? { fullRunOnly: true } : {}),
    respond({ socket }) {
      const body =
        '{"error":{"message":"Slow down","type":"rate_limit_error","code":429,"status":"RESOURCE_EXHAUSTED"}}'
      socket.write(head(429, body.length, { 'retry-after': value }) + body)
    },
  }),
)

/** Sends the events with usage twice: usage is a total, not to be summed. */
const twice: Fault = {
  name: 'usage-twice',
  at: 'proxy',
  ...both(completed),
  respond(wire) {
    const tells = /"usage":\{|"usageMetadata":\{/
    const isTold = (piece: string, index: number) => wire.streamed && index >= wire.begun && tells.test(piece)
    const pieces = wire.pieces.flatMap((piece, index) => (isTold(piece, index) ? [piece, piece] : [piece]))
    return forward({ ...wire, pieces })
  },
}

export const SWITCHES: readonly Fault[] = [
  ...STATUSES.flatMap(([statuses, seen]) =>
    statuses.map((sent) =>
      sandbox(`status=${sent}`, both(rejected(seen)), {
        ...(sent === 529 ? { own: OVERLOADED } : {}),
        ...(SAMPLED_STATUSES.includes(sent) ? {} : { fullRunOnly: true }),
      }),
    ),
  ),
  ...limited,
  sandbox('hang', both(rejected(504, 'timeout')), { timeouts: 'short' }),
  sandbox('slow-headers=100', both(completed)),
  sandbox('html', both(rejected(502))),
  sandbox('empty', apart(rejected(502, 'cut'), rejected(502))),
  sandbox('wrong-type', apart(rejected(502), completed)),
  sandbox('cut', apart(brokenOff('cut'), rejected(502, 'cut')), { switches: after('cut') }),
  sandbox('end', apart(brokenOff('cut'), rejected(502)), { switches: after('end') }),
  sandbox('stall', apart(brokenOff('timeout'), rejected(504, 'timeout')), {
    switches: after('stall'),
    timeouts: 'short',
  }),
  proxied('garbage=0', both(rejected(502))),
  proxied('garbage', apart(brokenOff('failed'), rejected(502)), { switches: after('garbage') }),
  proxied('error-event=0', both(rejected(502))),
  proxied('error-event', apart(brokenOff('failed'), rejected(502)), { switches: after('error-event') }),
  sandbox('huge-line=1', both(completed), { heavy: true }),
  sandbox('drip=0', both(completed)),
  sandbox('split-utf8', both(completed)),
  proxied('no-usage', both(counted)),
  proxied('zero-usage', both(free)),
  proxied('negative-usage', both(counted)),
  proxied('huge-usage', both(counted)),
  proxied('string-usage', both(counted)),
  twice,
  proxied('usage-every-chunk', both(completed)),
  proxied('duplicate-start', both(completed)),
  proxied('no-space', both(completed)),
  proxied('comments', both(completed)),
  ...NO_FINISH.map(([dialects, streamed]) =>
    proxied(`no-finish-${dialects.join('-')}`, apart(streamed, completed), {
      switches: () => 'no-finish',
      only: dialects,
    }),
  ),
  sandbox('finish-every-chunk', both(completed)),
  proxied('interleave', both(completed)),
  // Only the first of the two answers is delivered.
  proxied('twice', both(completed), { garbled: true }),
  sandbox('redirect', both(rejected(502))),
  sandbox('gzip-by-the-sandbox', both(completed), { switches: () => 'gzip' }),
  sandbox('crlf-by-the-sandbox', both(completed), { switches: () => 'crlf' }),
]
