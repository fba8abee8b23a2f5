// DELETE of a task whose record here is older than what the upstream knows.
import { expect, test } from 'bun:test'
import { eventually } from '../../test/support/eventually.ts'
import { operate } from '../../test/support/gateway/operate.ts'
import { newVideoClient, startVideoGateway } from '../../test/support/gateway/video-gateway.ts'
import type { ShownError } from '../../test/support/requests/videos.ts'

const { gateway, first } = await startVideoGateway({ timing: { firstPollMs: 1_500, longestPollMs: 1_500 } })

test.each(['succeeded', 'running', 'failed'])('%s since the last query: kept at the upstream', async (status) => {
  const client = await newVideoClient(gateway)
  first.script.states = ['queued']
  const id = await client.submit()
  // The vendor removes the record of a finished task, and with it the video that the operator pays for.
  for (const task of first.tasks.values()) task.states = status === 'running' ? [status, 'succeeded'] : [status]
  const response = await client.remove(id)
  const { error } = (await response.json()) as ShownError
  expect([response.status, error.message]).toEqual([409, expect.stringContaining('no longer queued')])
  expect(first.count('delete')).toBe(0)
  await client.until(id, status === 'failed' ? status : 'succeeded')
})

test('cancelled at the upstream by its operator: cancelled here', async () => {
  const client = await newVideoClient(gateway)
  first.script.states = ['queued']
  const id = await client.submit()
  for (const task of first.tasks.values()) task.states = ['cancelled']
  expect((await client.remove(id)).status).toBe(204)
  expect(await client.read(id)).toMatchObject({ status: 'cancelled' })
  expect(first.count('delete')).toBe(0)
})

test.each([
  500, 429, 401,
])('the upstream answers with %i: the message does not say that the task is running', async (status) => {
  const client = await newVideoClient(gateway)
  Object.assign(first.script, { states: ['queued', 'queued', 'succeeded'], cancel: { status } })
  const id = await client.submit()
  const response = await client.remove(id)
  const { error } = (await response.json()) as ShownError
  expect([response.status, error.message]).toEqual([409, expect.stringContaining('could not be cancelled')])
  await client.until(id, 'succeeded')
})

test('an upstream that does not answer: few of an account wait for it, and another account cancels', async () => {
  const [greedy, polite] = [await newVideoClient(gateway), await newVideoClient(gateway)]
  first.script.states = ['queued']
  const ids = await Promise.all(Array.from({ length: 8 }, () => greedy.submit()))
  const own = await polite.submit()
  first.script.query = 'hang'
  const answers = ids.map((id) => greedy.remove(id))
  const rejected = await Promise.race(answers)
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '1'])
  await eventually(() => first.count('query') >= 4)
  first.script.query = 'works'
  expect((await polite.remove(own)).status).toBe(204)
  // What waits for an answer would wait for half a minute.
  first.upstream.disconnect()
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(4)
  for (const id of ids) expect([204, 409]).toContain((await greedy.remove(id)).status)
  for (const task of first.tasks.values()) if (task.states[0] === 'queued') task.states = ['cancelled']
})

test('deletions count toward a limit of the account', async () => {
  const client = await newVideoClient(gateway)
  await operate(gateway, 'account limit', { account: client.email, rpm: '2' })
  first.script.states = ['queued']
  const id = await client.submit()
  for (let times = 0; times < 2; times++) expect((await client.remove('cgt-0000000000000001')).status).toBe(404)
  const response = await client.remove(id)
  expect([response.status, first.count('delete')]).toEqual([429, 0])
  for (const task of first.tasks.values()) task.states = ['cancelled']
  await client.until(id, 'cancelled')
})
