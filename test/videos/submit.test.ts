// A submit reaches an upstream at most once, whatever happens to it, and its task ends in one state with one ledger entry.
import { describe, expect, test } from 'bun:test'
import { ENGINES } from '../support/gateway/home.ts'
import { operate } from '../support/gateway/operate.ts'
import { newVideoClient, startVideoGateway } from '../support/gateway/video-gateway.ts'
import { errorOf, videoBody } from '../support/requests/videos.ts'
import type { Fault } from '../support/upstreams/scripted-video.ts'

describe.each([...ENGINES])('%s', async (engine) => {
  const { gateway, first, second } = await startVideoGateway({ engine })
  const newClient = () => newVideoClient(gateway)
  const status = (code: number, error?: object): Fault => ({ status: code, ...(error ? { body: { error } } : {}) })

  test('accepted, made, copied, charged', async () => {
    const client = await newClient()
    const response = await client.send(videoBody())
    expect(response.status).toBe(200)
    const answer = (await response.json()) as { id: string; task_id: string }
    const { id } = answer
    expect(answer).toEqual({ id, task_id: id })
    expect(await client.account()).toMatchObject({ balance_usd: '10.00', held_usd: '0.25' })
    const done = await client.until(id, 'succeeded')
    expect(done).toMatchObject({ id, model: 'vid', resolution: '720p', duration: 5, usage: { total_tokens: 1_000 } })
    const video = await fetch(done.content?.video_url ?? '')
    expect(Buffer.from(await video.arrayBuffer()).equals(first.script.video)).toBe(true)
    const [row] = await client.settled()
    expect(row).toMatchObject({ model: 'vid', outcome: 'completed', cost_usd: '0.25' })
    expect(row?.request_id).toBe(response.headers.get('x-request-id') ?? '')
    const [sent] = first.requests
    expect(JSON.parse(sent?.received.body.toString() ?? '')).toMatchObject({ model: 'inner', safety_identifier: id })
  })

  const PARAMETER = { code: 'InvalidParameter', message: 'The ratio is wrong.', param: 'ratio' }
  const REJECTIONS: [string, Fault, expected: [number, string, string]][] = [
    ['400', status(400, PARAMETER), [400, 'InvalidParameter', 'ratio']],
    ['401', status(401), [502, 'InternalServiceError', '']],
    ['403', status(403), [502, 'InternalServiceError', '']],
    ['404', status(404), [502, 'InternalServiceError', '']],
    ['409', status(409), [502, 'InternalServiceError', '']],
    ['422', status(422, PARAMETER), [400, 'InvalidParameter', 'ratio']],
    ['429', status(429), [429, 'RateLimitExceeded', '']],
    ['503', status(503), [503, 'ServerOverloaded', '']],
  ]

  test.each(REJECTIONS)('%s: the next candidate is asked', async (_, fault) => {
    const client = await newClient()
    first.script.submit = fault
    const id = await client.submit(videoBody('two'))
    expect(await client.until(id, 'succeeded')).toMatchObject({ model: 'two' })
    expect([first.count('submit'), second.count('submit')]).toEqual([1, 1])
    expect(await client.settled()).toMatchObject([{ outcome: 'completed', cost_usd: '0.25' }])
  })

  test.each(REJECTIONS)('%s everywhere: the client gets the error, and nothing stays', async (_, fault, expected) => {
    const client = await newClient()
    first.script.submit = fault
    second.script.submit = fault
    expect(await errorOf(await client.send(videoBody('two')))).toEqual(expected)
    expect(await client.account()).toMatchObject({ balance_usd: '10.00', held_usd: '0.00' })
    expect(await client.settled()).toMatchObject([{ outcome: 'failed', cost_usd: '0.00' }])
    expect(await (await client.list()).json()).toEqual({ total: 0, items: [] })
  })

  test('an upstream that cannot be reached', async () => {
    const client = await newClient()
    const id = await client.submit(videoBody('late'))
    await client.until(id, 'succeeded')
    expect(await errorOf(await client.send(videoBody('gone')))).toEqual([502, 'InternalServiceError', ''])
    expect(await (await client.list()).json()).toMatchObject({ total: 1 })
    expect((await client.settled()).map(({ outcome }) => outcome)).toEqual(['failed', 'completed'])
  })

  test('a client that disconnects: the task goes on', async () => {
    const client = await newClient()
    first.script.submit = 'accept-hang'
    const abort = new AbortController()
    const gone = fetch(`${gateway.url}/api/v3/contents/generations/tasks`, {
      method: 'POST',
      signal: abort.signal,
      body: JSON.stringify(videoBody()),
      headers: { authorization: `Bearer ${client.secret}`, 'content-type': 'application/json' },
    })
    gone.catch(() => {})
    while (first.count('submit') === 0) await Bun.sleep(5)
    abort.abort()
    expect(await client.settled()).toMatchObject([{ outcome: 'completed', cost_usd: '0.25' }])
    const { total } = (await (await client.list()).json()) as { total: number }
    expect(total).toBe(1)
  })

  test('no balance', async () => {
    const client = await newVideoClient(gateway, '0.2')
    expect(await errorOf(await client.send(videoBody()))).toEqual([402, 'AccountOverdueError', ''])
    expect(await client.rows()).toEqual([])
    expect(await (await client.list()).json()).toEqual({ total: 0, items: [] })
    expect(first.count('submit')).toBe(0)
  })

  test('a key that is deleted and an account that is disabled meanwhile: the task still settles', async () => {
    const client = await newClient()
    first.script.states = ['running', 'running', 'running', 'succeeded']
    await client.submit()
    await operate(gateway, 'key delete', { key: client.keyId })
    await operate(gateway, 'account disable', { account: client.email })
    expect(await client.settled()).toMatchObject([{ outcome: 'completed', cost_usd: '0.25' }])
  })
})
