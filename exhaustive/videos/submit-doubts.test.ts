// A submit whose outcome is not known: it is never sent again, and the upstream's list tells what became of it.
import { expect, test } from 'bun:test'
import { newVideoClient, startVideoGateway } from '../../test/support/gateway/video-gateway.ts'
import { videoBody } from '../../test/support/requests/videos.ts'
import type { Fault, SubmitStep } from '../../test/support/upstreams/scripted-video.ts'

const { gateway, first, second } = await startVideoGateway({ timing: { listedWithinMs: 300 } })
const newClient = () => newVideoClient(gateway)
const status = (code: number): Fault => ({ status: code })

const DOUBTS: [string, SubmitStep][] = [
  ['a reset', 'accept-cut'],
  ['a time-out', 'accept-hang'],
]
test.each(DOUBTS)('%s after the task was made: found in the list by its reference', async (_, step) => {
  const client = await newClient()
  first.script.submit = step
  const id = await client.submit(videoBody('two'))
  expect(await client.read(id)).toMatchObject({ status: 'queued' })
  await client.until(id, 'succeeded')
  expect([first.count('submit'), second.count('submit')]).toEqual([1, 0])
  expect(await client.settled()).toMatchObject([{ outcome: 'completed', cost_usd: '0.25' }])
})

const NONSENSE: Fault = { status: 200, body: 'nonsense' }
test.each<[string, SubmitStep, (() => void)?]>([
  ['a reset', 'cut'],
  ['a time-out', 'hang'],
  ['500', status(500)],
  ['502', status(502)],
  ['504', status(504)],
  ['524 of a proxy in between', status(524)],
  ['200 with nonsense', NONSENSE],
  ['200 with another object', { status: 200, body: { ok: true } }],
  ['a reset, made but not echoed', 'accept-cut', () => Object.assign(first.script, { echo: false })],
  ['a reset, made but not listed', 'accept-cut', () => Object.assign(first.script, { list: status(404) })],
])('%s: in doubt, then failed and released with its possible cost', async (_, step, set) => {
  const client = await newClient()
  first.script.submit = step
  set?.()
  const response = await client.send(videoBody('two'))
  const { id } = (await response.json()) as { id: string }
  expect(await client.read(id)).toMatchObject({ status: 'queued' })
  expect(await client.account()).toMatchObject({ held_usd: '0.25' })
  const failed = await client.until(id, 'failed')
  expect(failed.error).toMatchObject({ code: 'InternalServiceError' })
  expect([first.count('submit'), second.count('submit')]).toEqual([1, 0])
  const [row] = await client.settled()
  expect(row).toMatchObject({ outcome: 'failed', cost_usd: '0.00' })
  expect(row?.receipt).toMatchObject({ possible_upstream_cost: '0.25' })
  const authorization = `Bearer ${client.secret}`
  const own = await fetch(`${gateway.url}/v1/usage/${row?.request_id}`, { headers: { authorization } })
  expect(await own.text()).not.toContain('possible_upstream_cost')
})

test('a list that cannot be read says nothing: the task stays in doubt until the list can be read', async () => {
  const client = await newClient()
  Object.assign(first.script, { submit: 'accept-cut', list: status(500) })
  const id = await client.submit()
  await Bun.sleep(1_000)
  expect(await client.read(id)).toMatchObject({ status: 'queued' })
  first.script.list = 'works'
  await client.until(id, 'succeeded')
})

test('unknown to its upstream for good: failed and released, with its possible cost', async () => {
  const client = await newClient()
  first.script.hiddenFor = 1_000
  const id = await client.submit()
  expect((await client.until(id, 'failed')).error?.code).toBe('InternalServiceError')
  const [row] = await client.settled()
  expect(row).toMatchObject({ outcome: 'failed', cost_usd: '0.00' })
  expect(row?.receipt).toMatchObject({ possible_upstream_cost: '0.25' })
})
