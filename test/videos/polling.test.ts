// How the gateway queries the upstream of a task: at growing intervals, patiently, and not forever.
import { expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { newVideoClient, startVideoGateway } from '../support/gateway/video-gateway.ts'
import { videoBody } from '../support/requests/videos.ts'
import type { Fault, State } from '../support/upstreams/scripted-video.ts'

const { gateway, first } = await startVideoGateway({ timing: { longestPollMs: 180, missingMs: 60_000 } })
const newClient = () => newVideoClient(gateway)
const become = (...states: State[]) => {
  for (const task of first.tasks.values()) task.states = [...states]
}
const queriesAt = () => first.requests.filter(({ operation }) => operation === 'query').map(({ at }) => at)
const CHARGED = [{ outcome: 'completed', cost_usd: '0.25' }]

test('intervals grow up to a limit', async () => {
  const client = await newClient()
  first.script.states = ['running']
  await client.submit()
  await eventually(() => first.count('query') >= 9)
  const at = queriesAt()
  const gaps = at.slice(1).map((time, index) => time - (at[index] ?? 0))
  // A busy machine makes gaps longer, never shorter: the shortest ones tell what was planned.
  const [shortest, longest] = [Math.min(...gaps.slice(0, 3)), Math.min(...gaps.slice(-3))]
  expect(shortest).toBeGreaterThan(40)
  expect(longest).toBeGreaterThan(1.2 * shortest)
  become('succeeded')
  expect(await client.settled()).toMatchObject(CHARGED)
})

test.each<[string, Fault, least: number]>([
  ['429 with seconds', { status: 429, headers: { 'retry-after': '1' } }, 950],
  ['503 with milliseconds', { status: 503, headers: { 'retry-after-ms': '900' } }, 850],
])('%s: retry-after is respected', async (_, fault, least) => {
  const client = await newClient()
  first.script.nextQueries = [fault]
  await client.submit()
  expect(await client.settled()).toMatchObject(CHARGED)
  const [one = 0, two = 0] = queriesAt()
  expect(two - one).toBeGreaterThan(least)
})

test('a retry-after of a query that works is respected', async () => {
  const client = await newClient()
  first.script.headers = { 'retry-after': '1' }
  await client.submit()
  await eventually(() => first.count('query') === 1)
  first.script.headers = {}
  expect(await client.settled()).toMatchObject(CHARGED)
  const [one = 0, two = 0] = queriesAt()
  expect(two - one).toBeGreaterThan(950)
})

const NO_VERDICTS: Fault[] = [
  ...['nonsense', '', [], { id: 'cgt-1', status: 7 }, { id: 'cgt-1', status: 'dreaming' }, { status: 'succeeded' }].map(
    (body) => ({ status: 200, body }),
  ),
  ...[500, 502, 401, 403, 404, 429].map((status) => ({ status })),
  { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
  'cut',
]

test.each([
  ['queued', 'queued'],
  ['running', 'running'],
])('what is no verdict while a task is %s: it goes on', async (_, state) => {
  const client = await newClient()
  Object.assign(first.script, { states: [state, 'succeeded'], nextQueries: ['works', ...NO_VERDICTS] })
  const id = await client.submit()
  const seen: string[] = []
  await eventually(async () => {
    const { status } = await client.read(id)
    if (seen.at(-1) !== status) seen.push(status)
    return status === 'succeeded' || status === 'failed'
  })
  // The first query may come after the task has begun.
  expect(seen.join(' ')).toMatch(/^(queued )?(running )?succeeded$/)
  expect(first.count('query')).toBe(NO_VERDICTS.length + 2)
  expect(await client.settled()).toMatchObject(CHARGED)
})

test('a success without a video is asked for again until there is one', async () => {
  const client = await newClient()
  first.script.nextQueries = Array(3).fill({ status: 200, body: { id: 'cgt-1', status: 'succeeded', content: {} } })
  const id = await client.submit()
  await client.until(id, 'succeeded')
  expect(await client.settled()).toMatchObject(CHARGED)
})

test('unknown at first, then found', async () => {
  const client = await newClient()
  first.script.hiddenFor = 3
  const id = await client.submit()
  expect(await client.until(id, 'succeeded', 'failed')).toMatchObject({ status: 'succeeded' })
})

test('unknown at first: it stays queued, and can be cancelled once it is known', async () => {
  const client = await newClient()
  Object.assign(first.script, { states: ['queued'], hiddenFor: 3 })
  const id = await client.submit()
  await eventually(() => first.count('query') >= 2)
  expect(await client.read(id)).toMatchObject({ status: 'queued' })
  await eventually(() => first.count('query') >= 4)
  expect((await client.remove(id)).status).toBe(204)
  expect(await client.settled()).toMatchObject([{ outcome: 'cancelled', cost_usd: '0.00' }])
})

test('never-ending: closed at its deadline, stopped at the upstream, released', async () => {
  const client = await newClient()
  Object.assign(first.script, { states: ['running'], cancel: 'allow' })
  const began = performance.now()
  const id = await client.submit(videoBody('brief'))
  const expired = await client.until(id, 'expired')
  expect(performance.now() - began).toBeGreaterThan(1_900)
  expect(expired.error?.code).toBe('TaskExpired')
  expect(first.count('delete')).toBe(1)
  const [row] = await client.settled()
  expect(row).toMatchObject({ outcome: 'expired', cost_usd: '0.00' })
  expect(row?.receipt).toMatchObject({ possible_upstream_cost: '0.25' })
})

test('finished just before its deadline, unnoticed so far: made and charged', async () => {
  const client = await newClient()
  // The query before the deadline is answered with a pause that lasts beyond it.
  Object.assign(first.script, {
    states: ['succeeded'],
    nextQueries: [{ status: 503, headers: { 'retry-after': '3' } }],
  })
  const id = await client.submit(videoBody('brief'))
  expect(await client.until(id, 'succeeded', 'expired')).toMatchObject({ status: 'succeeded' })
  expect(await client.settled()).toMatchObject(CHARGED)
})

test('in doubt until its deadline: closed, released, with its possible cost', async () => {
  const client = await newClient()
  Object.assign(first.script, { submit: 'accept-cut', list: { status: 500 } })
  const id = await client.submit(videoBody('brief'))
  await client.until(id, 'expired')
  const [row] = await client.settled()
  expect(row?.receipt).toMatchObject({ possible_upstream_cost: '0.25' })
})
