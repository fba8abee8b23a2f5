// What operators do with tasks of any account: cancel, query and release, with what the ledger books for each.
import { expect, test } from 'bun:test'
import { adminClient } from '../support/admin/admin-client.ts'
import { eventually } from '../support/eventually.ts'
import { operate } from '../support/gateway/operate.ts'
import { newVideoClient, startVideoGateway } from '../support/gateway/video-gateway.ts'

/** So long that only an operator's query is seen. */
const { gateway, first } = await startVideoGateway({ timing: { firstPollMs: 60_000, longestPollMs: 60_000 } })

const keyOf = async (role: string) =>
  adminClient(
    gateway.url,
    (await operate<{ secret: string }>(gateway, 'admin-key create', { name: role, role })).secret,
  )
const [support, finance, viewer] = await Promise.all(['support', 'finance', 'viewer'].map(keyOf))
if (!support || !finance || !viewer) throw new Error('no admin keys')

const show = async (id: string) => (await viewer('GET', `tasks/${id}`)).body
const receiptOf = async (task: Record<string, unknown>) => (await viewer('GET', `requests/${task.request_id}`)).body

test('a queued task is cancelled at its upstream, and its hold is voided', async () => {
  const client = await newVideoClient(gateway)
  first.script.states = ['queued']
  const id = await client.submit()
  expect(await show(id)).toMatchObject({ state: 'queued', held_usd: '0.25', typical_ms: null, error: null })
  expect((await viewer('GET', 'tasks?state=open&upstream=first')).body.data).toMatchObject([{ id }])
  expect((await finance('POST', `tasks/${id}/cancel`)).status).toBe(403)
  const { body: planned } = await support('POST', `tasks/${id}/cancel?dry_run=true`)
  expect(planned).toMatchObject({ target: `task/${id}`, before: { state: 'queued' }, effects: { held_usd: '0.25' } })
  expect(first.count('delete')).toBe(0)
  expect((await support('POST', `tasks/${id}/cancel`)).body).toMatchObject({ state: 'cancelled', held_usd: '0.00' })
  expect(first.count('delete')).toBe(1)
  expect(await receiptOf(await show(id))).toMatchObject({ outcome: 'cancelled', cost_usd: '0.00' })
  const again = await support('POST', `tasks/${id}/cancel`)
  expect([again.status, (again.body as { error?: { message: string } }).error?.message]).toEqual([
    409,
    'The task is cancelled and cannot be cancelled.',
  ])
  expect((await viewer('GET', 'tasks?state=open')).body.data).toEqual([])
})

test('a query makes a worker ask the upstream at once', async () => {
  const client = await newVideoClient(gateway)
  first.script.states = ['queued']
  const id = await client.submit()
  for (const task of first.tasks.values()) task.states = ['succeeded']
  expect(first.count('query')).toBe(0)
  expect((await support('POST', `tasks/${id}/query`)).status).toBe(200)
  await client.until(id, 'succeeded')
  expect(await show(id)).toMatchObject({ state: 'succeeded', queries: 1, typical_ms: expect.any(Number) })
  expect((await support('POST', `tasks/${id}/query`)).status).toBe(409)
})

test.each([
  ['runs: its hold is voided', ['running'], 'expired', '0.00'],
  ['has finished meanwhile: it is copied and charged', ['succeeded'], 'succeeded', '0.25'],
])('release of a task that %s', async (_, states, state, cost) => {
  const client = await newVideoClient(gateway)
  first.script.states = ['running']
  const id = await client.submit()
  for (const task of first.tasks.values()) task.states = states
  expect((await support('POST', `tasks/${id}/release`)).status).toBe(403)
  expect((await finance('POST', `tasks/${id}/release`, { body: { reason: 'stuck' } })).status).toBe(200)
  await eventually(async () => (await show(id)).state === state)
  expect(await receiptOf(await show(id))).toMatchObject({ cost_usd: cost })
  const [row] = (await viewer<{ data: object[] }>('GET', 'audit-log?action=task%20release&limit=1')).body.data
  expect(row).toMatchObject({ target: `task/${id}`, reason: 'stuck', before: { state: expect.any(String) } })
})

test('release of a task whose result cannot be copied gives it up', async () => {
  const client = await newVideoClient(gateway)
  Object.assign(first.script, { states: ['succeeded'], download: { status: 503 } })
  const id = await client.submit()
  await support('POST', `tasks/${id}/query`)
  await eventually(async () => (await show(id)).state === 'copying')
  expect((await finance('POST', `tasks/${id}/release`)).body).toMatchObject({ state: 'failed', held_usd: '0.00' })
  expect(await show(id)).toMatchObject({ error: { code: 'InternalServiceError' } })
})
