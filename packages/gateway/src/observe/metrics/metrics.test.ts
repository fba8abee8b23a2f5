// Values, their bound, their sum over processes, and their text.
import { describe, expect, test } from 'bun:test'
import { RequestRecord } from '../request-record.ts'
import type { Metric } from './metric.ts'
import { createMetrics, METRICS } from './names.ts'
import { render } from './render.ts'
import { observeRequests } from './request-metrics.ts'
import { createScrape } from './scrape.ts'
import { mergeSnapshots, snapshotOf, sumOf, withoutGauges } from './snapshot.ts'

const textOf = (...all: ReturnType<typeof createMetrics>[]) => render(mergeSnapshots(all.map(snapshotOf)))
const lines = (text: string, name: string) => text.split('\n').filter((each) => each.startsWith(name))

test('counters, gauges and histograms in the text format of Prometheus', () => {
  const metrics = createMetrics()
  metrics.errors.add(1, 'model_not_found')
  metrics.errors.add(2, 'model_not_found')
  metrics.running.set(7)
  for (const seconds of [0.001, 0.005, 0.2, 1_000]) metrics.queued.observe(seconds)
  const text = textOf(metrics)
  expect(text).toContain(
    `# HELP ${METRICS.errors.name} ${METRICS.errors.help}\n# TYPE ${METRICS.errors.name} counter\n`,
  )
  expect(lines(text, 'trivium_request_errors_total')).toEqual([
    'trivium_request_errors_total{code="model_not_found"} 3',
  ])
  expect(lines(text, 'trivium_running_requests')).toEqual(['trivium_running_requests 7'])
  const queued = lines(text, 'trivium_queue_seconds')
  expect(queued).toContain('trivium_queue_seconds_bucket{le="0.005"} 2')
  expect(queued).toContain('trivium_queue_seconds_bucket{le="0.25"} 3')
  expect(queued).toContain('trivium_queue_seconds_bucket{le="300"} 3')
  expect(queued).toContain('trivium_queue_seconds_bucket{le="+Inf"} 4')
  expect(queued).toContain('trivium_queue_seconds_sum 1000.206')
  expect(queued).toContain('trivium_queue_seconds_count 4')
})

test.each(
  Object.values(METRICS).map((each) => [each.name, each] as const),
)('%s: what counts without labels, or with known ones, is there before anything has happened', (name, {
  kind,
  labels,
  known,
  buckets,
}: Metric) => {
  const found = lines(textOf(createMetrics()), name).filter((each) => / \d+$/.test(each) && !each.includes('_bucket'))
  const whole = buckets.length === 0 ? [`${name} 0`] : [`${name}_sum 0`, `${name}_count 0`]
  const expected = labels.length === 0 ? whole : known.map((label) => `${name}{${labels[0]}="${label}"} 0`)
  expect(found).toEqual(kind === 'gauge' ? [] : expected)
})

test('amounts keep every digit, also beyond those of a double', () => {
  const metrics = createMetrics()
  metrics.charged.add(9_007_199_254_740_993n, 'm', 'u')
  metrics.charged.add(1n, 'm', 'u')
  expect(lines(textOf(metrics), 'trivium_charged')).toEqual([
    'trivium_charged_usd_total{model="m",upstream="u"} 9007199.254740994',
  ])
})

test('labels cannot break out of their quotes', () => {
  const metrics = createMetrics()
  metrics.errors.add(1, 'a"b\\c\nd')
  expect(lines(textOf(metrics), 'trivium_request_errors')).toEqual([
    'trivium_request_errors_total{code="a\\"b\\\\c\\nd"} 1',
  ])
})

describe('bounds', () => {
  test('labels beyond the bound are counted under `other`, and known ones go on', () => {
    const metrics = createMetrics()
    for (let index = 0; index < 10_000; index++) metrics.errors.add(1, `invented-${index}`)
    metrics.errors.add(1, 'invented-0')
    const found = lines(textOf(metrics), 'trivium_request_errors')
    expect(found).toHaveLength(METRICS.errors.mostSeries)
    expect(found).toContain('trivium_request_errors_total{code="invented-0"} 2')
    const known = METRICS.errors.mostSeries - 1
    expect(found).toContain(`trivium_request_errors_total{code="other"} ${10_000 - known}`)
  })

  test('all series of all metrics together are fewer than 2,000', () => {
    const series = Object.values(METRICS).map(({ mostSeries, buckets, labels }) => {
      const most = labels.length === 0 ? 1 : mostSeries
      return buckets.length === 0 ? most : most * (buckets.length + 3)
    })
    expect(series.reduce((sum, each) => sum + each, 0)).toBeLessThan(2_000)
  })
})

describe('several processes', () => {
  test('counters, histograms and most gauges are added; what all of them see alike is not', () => {
    const [one, two] = [createMetrics(), createMetrics()]
    for (const [metrics, times] of [
      [one, 1],
      [two, 2],
    ] as const) {
      metrics.shed.add(times)
      metrics.charged.add(BigInt(times), 'm', 'u')
      metrics.running.set(times)
      metrics.holds.set(5)
      metrics.queued.observe(0.001)
    }
    const text = textOf(one, two)
    expect(lines(text, 'trivium_shed')).toEqual(['trivium_shed_requests_total 3'])
    expect(lines(text, 'trivium_charged')).toEqual(['trivium_charged_usd_total{model="m",upstream="u"} 0.000000003'])
    expect(lines(text, 'trivium_running')).toEqual(['trivium_running_requests 3'])
    expect(lines(text, 'trivium_open_holds')).toEqual(['trivium_open_holds 5'])
    expect(lines(text, 'trivium_queue_seconds_count')).toEqual(['trivium_queue_seconds_count 2'])
  })

  test('what an ended process counted stays, and its gauges go', () => {
    const [ended, running] = [createMetrics(), createMetrics()]
    ended.shed.add(3)
    ended.running.set(9)
    running.shed.add(1)
    running.running.set(1)
    const left = sumOf([withoutGauges(snapshotOf(ended)), withoutGauges(snapshotOf(ended))])
    const text = render(mergeSnapshots([left, snapshotOf(running)]))
    expect(lines(text, 'trivium_shed')).toEqual(['trivium_shed_requests_total 7'])
    expect(lines(text, 'trivium_running')).toEqual(['trivium_running_requests 1'])
  })
})

describe('requests', () => {
  const known = { models: new Set(['m']), upstreams: new Set(['u']) }
  const ended = (fields: Partial<RequestRecord>) =>
    Object.assign(new RequestRecord('POST', '/v1/chat/completions', 'req_1', 0, 2, 'chat'), { status: 200 }, fields)

  test('by endpoint, modality, model, upstream, outcome and status, with durations, tokens and errors', () => {
    const metrics = createMetrics()
    const observer = observeRequests(metrics, () => known)
    const tokens = { input: 10, cached: 4, output: 3, reasoning: 2 }
    observer.ended(ended({ model: 'm', upstream: 'u', outcome: 'completed', tokens, totalMs: 200, firstTokenMs: 20 }))
    observer.ended(ended({ model: 'invented', error: 'model_not_found', status: 404 }))
    observer.shed(3)
    observer.malformed()
    const text = textOf(metrics)
    const on = 'endpoint="chat",modality="text"'
    expect(lines(text, 'trivium_requests')).toEqual([
      `trivium_requests_total{${on},model="m",upstream="u",outcome="completed",status="200"} 1`,
      `trivium_requests_total{${on},model="other",upstream="none",outcome="rejected",status="404"} 1`,
    ])
    expect(lines(text, 'trivium_request_errors')).toEqual(['trivium_request_errors_total{code="model_not_found"} 1'])
    expect(lines(text, 'trivium_request_duration_seconds_count')).toEqual([
      'trivium_request_duration_seconds_count{endpoint="chat"} 2',
    ])
    expect(lines(text, 'trivium_first_token_seconds_sum')).toEqual([
      'trivium_first_token_seconds_sum{endpoint="chat"} 0.02',
    ])
    expect(lines(text, 'trivium_tokens')).toEqual(
      ['input"} 10', 'output"} 3', 'cached"} 4', 'reasoning"} 2'].map(
        (rest) => `trivium_tokens_total{model="m",type="${rest}`,
      ),
    )
    expect(lines(text, 'trivium_shed')).toEqual(['trivium_shed_requests_total 3'])
    expect(lines(text, 'trivium_malformed')).toEqual(['trivium_malformed_requests_total 1'])
  })

  test('10,000 models, 100,000 keys and 1,000 errors of callers and upstreams, in four processes, are fewer than 2,000 series', () => {
    const all = { has: () => true }
    const processes = [1, 2, 3, 4].map((number) => {
      const metrics = createMetrics()
      const observer = observeRequests(metrics, () => ({ models: all, upstreams: all }))
      for (let index = 0; index < 25_000; index++) {
        const [model, upstream] = [`model-${number}-${index % 10_000}`, `upstream-${index % 1_000}`]
        const error = `error-${number}-${index % 1_000}`
        const tokens = { input: 1, cached: 1, output: 1, reasoning: 1 }
        observer.ended(ended({ key: BigInt(number * 25_000 + index), account: 1n, model, upstream, error, tokens }))
        metrics.attempts.add(1, upstream, error)
        metrics.charged.add(1n, model, upstream)
        metrics.cost.add(1n, model, upstream)
      }
      return metrics
    })
    const text = textOf(...processes)
    const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    expect(series.length).toBeLessThan(2_000)
    const charged = lines(text, 'trivium_charged').map((line) => Number(line.split(' ').at(-1)))
    expect(charged.reduce((sum, each) => sum + each, 0)).toBeCloseTo(0.0001, 9)
  })
})

test('a scrape runs once at a time, and a second within a second gets the same text', async () => {
  const world = { now: 0, scrapes: 0 }
  const waiting: (() => void)[] = []
  const metrics = createMetrics()
  const own = async () => {
    world.scrapes += 1
    metrics.shed.add(1)
    await new Promise<void>((resolve) => void waiting.push(resolve))
    return snapshotOf(metrics)
  }
  const scrape = createScrape(
    own,
    async () => [],
    () => world.now,
  )
  const together = [scrape.text(), scrape.text()]
  for (const resolve of waiting.splice(0)) resolve()
  const [one, two] = await Promise.all(together)
  expect(one).toContain('trivium_shed_requests_total 1\n')
  expect(two).toBe(one ?? '')
  world.now = 999
  expect(await scrape.text()).toBe(one ?? '')
  expect(world.scrapes).toBe(1)
  world.now = 1_000
  const next = scrape.text()
  for (const resolve of waiting.splice(0)) resolve()
  expect(await next).toContain('trivium_shed_requests_total 2\n')
})
