// `Idempotency-Key` on a submit: one task, however often it is repeated.
import { describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { ENGINES } from '../support/gateway/home.ts'
import { newVideoClient, startVideoGateway } from '../support/gateway/video-gateway.ts'
import { errorOf, videoBody } from '../support/requests/videos.ts'

const keyed = (key: string) => ({ 'idempotency-key': key })

describe.each([...ENGINES])('%s', async (engine) => {
  const { gateway, first, second } = await startVideoGateway({ engine })

  test('a repetition gets the same task, also when it has ended', async () => {
    const client = await newVideoClient(gateway)
    const original = await client.send(videoBody(), keyed('a'))
    const { id } = (await original.json()) as { id: string }
    expect(original.headers.get('idempotent-replayed')).toBeNull()
    for (const wait of [false, true]) {
      if (wait) await client.until(id, 'succeeded')
      const again = await client.send(videoBody(), keyed('a'))
      expect([again.status, await again.json()]).toEqual([200, { id, task_id: id }])
      expect(again.headers.get('idempotent-replayed')).toBe('true')
      expect(again.headers.get('idempotent-request-id')).toBe(original.headers.get('x-request-id'))
    }
    expect(first.count('submit')).toBe(1)
    expect(await client.settled()).toHaveLength(1)
  })

  test('another body, and another account', async () => {
    const [client, other] = [await newVideoClient(gateway), await newVideoClient(gateway)]
    const id = await client.submit(videoBody(), keyed('a'))
    expect((await errorOf(await client.send(videoBody('vid', { seed: 1 }), keyed('a'))))[0]).toBe(422)
    expect(await other.submit(videoBody(), keyed('a'))).not.toBe(id)
    expect(first.count('submit')).toBe(2)
  })

  test('while the first is being submitted: 409, then the same task', async () => {
    const client = await newVideoClient(gateway)
    first.script.submit = 'accept-hang'
    const original = client.submit(videoBody(), keyed('a'))
    await eventually(() => first.count('submit') === 1)
    const [status, , param] = await errorOf(await client.send(videoBody(), keyed('a')))
    expect([status, param]).toEqual([409, 'Idempotency-Key'])
    // Whether the upstream has it is not known, and the task exists all the same.
    expect(await client.submit(videoBody(), keyed('a')).catch(() => original)).toBe(await original)
    expect(first.count('submit')).toBe(1)
  })

  test('a rejected submit frees the key', async () => {
    const client = await newVideoClient(gateway)
    first.script.nextSubmits = [{ status: 429 }]
    expect((await errorOf(await client.send(videoBody(), keyed('a'))))[0]).toBe(429)
    const response = await client.send(videoBody(), keyed('a'))
    expect(response.status).toBe(200)
    expect(response.headers.get('idempotent-replayed')).toBeNull()
    expect([first.count('submit'), second.count('submit')]).toEqual([2, 0])
  })

  test('many at once: one submit', async () => {
    const client = await newVideoClient(gateway)
    const responses = await Promise.all(Array.from({ length: 8 }, () => client.send(videoBody(), keyed('a'))))
    expect(responses.every(({ status }) => status === 200 || status === 409)).toBe(true)
    expect(first.count('submit')).toBe(1)
  })

  test('a key that cannot be one', async () => {
    const client = await newVideoClient(gateway)
    expect((await errorOf(await client.send(videoBody(), keyed('a b'))))[0]).toBe(400)
    expect(first.count('submit')).toBe(0)
  })
})

describe('retention off', async () => {
  const { gateway, first } = await startVideoGateway({ more: 'retention: { idempotency: off }' })

  test('the key is not kept, and a warning says so', async () => {
    const client = await newVideoClient(gateway)
    const one = await client.send(videoBody(), keyed('a'))
    expect(one.headers.get('x-trivium-warnings')).toContain('idempotency-key;off')
    expect((await client.send(videoBody(), keyed('a'))).headers.get('idempotent-replayed')).toBeNull()
    expect(first.count('submit')).toBe(2)
  })
})
