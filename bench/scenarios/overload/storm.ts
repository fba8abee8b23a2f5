// All upstreams reject everything: attempts per request.
import { type Rejection, storm } from '../../../test/support/upstreams/retry-storm.ts'
import { type Scenario, times, verdict } from '../../harness/scenario.ts'

const MOST_ATTEMPTS = 1.2
const UPSTREAMS = 4
const KEYS_EACH = 3

const STORMS: readonly [name: string, rejections: readonly Rejection[]][] = [
  ['429', [{ status: 429 }]],
  ['429, retry-after: 0', [{ status: 429, retryAfter: '0' }]],
  ['503', [{ status: 503 }]],
  ['429 and 503', [{ status: 429 }, { status: 503 }, { status: 429, retryAfter: '0' }, { status: 529 }]],
]

/** As fast as possible, and slowly, so that cool-downs end in between. */
const PACES = [
  { pace: '32 at once', clients: 32, pauseMs: 0, requests: 4_000 },
  { pace: 'about 20 a second', clients: 2, pauseMs: 100, requests: 300 },
] as const

export const storms: Scenario = {
  number: 1,
  title: `A storm of rejections from ${UPSTREAMS} upstreams with ${KEYS_EACH} keys each`,
  async run({ quick, say }) {
    const rows: string[][] = []
    let worst = 0
    for (const [name, rejections] of STORMS) {
      for (const { pace, clients, pauseMs, requests } of PACES) {
        say(`   ${name}, ${pace}`)
        const everywhere = Array.from(
          { length: UPSTREAMS },
          (_, index) => rejections[index % rejections.length],
        ).filter((rejection) => rejection !== undefined)
        const count = quick ? requests / 4 : requests
        const plan = { rejections: everywhere, keysEach: KEYS_EACH, requests: count, clients, pauseMs }
        const { attempts, statuses } = await storm(plan)
        const seen = Object.entries(statuses).map(([status, times]) => `${times} x ${status}`)
        rows.push([name, pace, String(count), String(attempts), (attempts / count).toFixed(3), seen.join(', ')])
        worst = Math.max(worst, attempts / count)
      }
    }
    return {
      columns: ['rejections', 'pace', 'requests', 'attempts', 'attempts per request', 'what callers were told'],
      rows,
      verdicts: [verdict('a storm from all upstreams: attempts per request', worst, MOST_ATTEMPTS, times)],
    }
  },
}
