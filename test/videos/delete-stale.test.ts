// DELETE of a task whose record here is older than what the upstream knows.
import { expect, test } from 'bun:test'
import { newVideoClient, startVideoGateway } from '../support/gateway/video-gateway.ts'
import type { ShownError } from '../support/requests/videos.ts'

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
