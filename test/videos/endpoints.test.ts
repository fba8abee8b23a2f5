// Tasks as their owner queries, lists and deletes them, and as no other account can.
import { describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { ENGINES } from '../support/gateway/home.ts'
import { newVideoClient, startVideoGateway } from '../support/gateway/video-gateway.ts'
import { errorOf, type ShownTask, videoBody } from '../support/requests/videos.ts'
import type { State, VideoScript } from '../support/upstreams/scripted-video.ts'

type Shown = [status: number, code: string, param: string]
const IN_STATE: Shown = [409, 'OperationDenied.InvalidState', 'task_id']
const NOT_FOUND: Shown = [404, 'NotFound.task_id', 'task_id']

describe.each([...ENGINES])('%s', async (engine) => {
  const { gateway, first } = await startVideoGateway({ engine })
  const newClient = () => newVideoClient(gateway)
  /** The states of all tasks from now on. */
  const become = (...states: State[]) => {
    for (const task of first.tasks.values()) task.states = [...states]
  }

  describe('query', () => {
    test('the record of each state', async () => {
      const client = await newClient()
      first.script.states = ['queued']
      const id = await client.submit(
        videoBody('vid', { resolution: '1080p', duration: 6, seed: 7, ratio: '1:1', service_tier: 'flex' }),
      )
      const shown = { id, model: 'vid', resolution: '1080p', duration: 6, seed: 7, ratio: '1:1', service_tier: 'flex' }
      const queued = await client.read(id)
      expect(queued).toMatchObject({ ...shown, status: 'queued' })
      expect(queued.created_at).toBeCloseTo(Date.now() / 1_000, -1)
      become('running')
      const running = await client.until(id, 'running')
      expect(running).toMatchObject(shown)
      expect(running).not.toHaveProperty('content')
      become({ status: 'succeeded', framespersecond: 24, seed: 8, revised_prompt: 'A tower.' })
      const made = await client.until(id, 'succeeded')
      expect(made).toMatchObject({ ...shown, seed: 8, framespersecond: 24, revised_prompt: 'A tower.' })
      expect(made.usage).toEqual({ completion_tokens: 1_000, total_tokens: 1_000 })
      expect(made.content?.video_url).toStartWith(gateway.url)
      expect(JSON.stringify(made)).not.toContain('inner')
      expect(JSON.stringify(made)).not.toContain(first.baseUrl)
      expect(await client.read(id)).toEqual(made)
    })

    test('the error of a task that failed, and of one that expired at the upstream', async () => {
      const client = await newClient()
      const error = { code: 'OutputVideoSensitiveContentDetected', message: 'No.' }
      first.script.states = [{ status: 'failed', error }]
      expect(await client.until(await client.submit(), 'failed')).toMatchObject({ error })
      first.script.states = ['expired']
      await client.until(await client.submit(), 'expired')
      first.script.states = [{ status: 'failed', error: { code: 'AccountOverdueError', message: 'Pay us.' } }]
      const failed = await client.until(await client.submit(), 'failed')
      expect(failed.error?.code).toBe('InternalServiceError')
      expect((await client.settled()).map(({ cost_usd }) => cost_usd)).toEqual(['0.00', '0.00', '0.00'])
    })

    test('clients may query as often as they like: the upstream does not notice', async () => {
      const client = await newClient()
      first.script.states = ['running']
      const id = await client.submit()
      await client.until(id, 'running')
      const before = first.count('query')
      const began = performance.now()
      for (let times = 0; times < 50; times++) await client.read(id)
      const lasted = performance.now() - began
      expect(first.count('query') - before).toBeLessThanOrEqual(2 + lasted / 60)
      become('succeeded')
    })

    test('unknown and odd ids', async () => {
      const client = await newClient()
      const id = await client.submit()
      const digits = id.slice('cgt-'.length)
      expect((await client.show(`%63gt-${digits}`)).status).toBe(200)
      for (const odd of [
        'cgt-0000000000000001',
        'cgt-ffffffffffffffff',
        'cgt-',
        'none',
        digits,
        `cgt-${digits}0`,
        `cgt-${digits.slice(1)}`,
        id.toUpperCase(),
        `cgt-${digits.toUpperCase()}x`,
        `${id}%00`,
        `%20${id}`,
        `${id}%0a`,
        `${id}%2f`,
        '%',
        '%zz',
        '%ff',
        `cgt-${'0'.repeat(5_000)}`,
        `cgt_${digits}`,
        `req_${digits}`,
        "cgt-1'%20or%201=1",
      ]) {
        expect([odd, ...(await errorOf(await client.show(odd)))]).toEqual([odd, ...NOT_FOUND])
        expect([odd, ...(await errorOf(await client.remove(odd)))]).toEqual([odd, ...NOT_FOUND])
      }
      await client.until(id, 'succeeded')
    })

    test('without a key, and with a wrong one', async () => {
      const client = await newClient()
      const id = await client.submit()
      for (const authorization of ['', 'Bearer sk-wrong']) {
        for (const [method, path] of [
          ['GET', `/${id}`],
          ['GET', ''],
          ['DELETE', `/${id}`],
        ] as const)
          expect((await client.call(method, path, undefined, { authorization })).status).toBe(401)
      }
      await client.until(id, 'succeeded')
    })
  })

  test("another account's task does not exist", async () => {
    const [owner, other] = [await newClient(), await newClient()]
    first.script.states = ['queued']
    const id = await owner.submit()
    const check = async () => {
      expect(await errorOf(await other.show(id))).toEqual(NOT_FOUND)
      expect(await errorOf(await other.remove(id))).toEqual(NOT_FOUND)
      expect(await (await other.list()).json()).toEqual({ total: 0, items: [] })
      expect(await (await other.list(`?filter.task_ids=${id}`)).json()).toEqual({ total: 0, items: [] })
      const draft = { model: 'vid', content: [{ type: 'draft_task', draft_task: { id } }] }
      expect(await errorOf(await other.send(draft))).toEqual([400, 'InvalidParameter', 'content[0].draft_task.id'])
    }
    await check()
    become('succeeded')
    await owner.until(id, 'succeeded')
    await check()
    expect(await other.rows()).toEqual([])
    expect(first.count('submit')).toBe(1)
    expect(first.count('delete')).toBe(0)
    // The owner may.
    const draft = { model: 'vid', content: [{ type: 'draft_task', draft_task: { id } }] }
    const [made] = first.tasks.values()
    const second = await owner.submit(draft)
    const sent = JSON.parse(
      first.requests.findLast(({ operation }) => operation === 'submit')?.received.body.toString() ?? '',
    )
    expect(sent.content).toEqual([{ type: 'draft_task', draft_task: { id: made?.id } }])
    become('succeeded')
    await owner.until(second, 'succeeded')
  })

  describe('list', async () => {
    test('paging and every filter', async () => {
      const client = await newClient()
      const ids: string[] = []
      const add = async (body: object) => void ids.unshift(await client.submit(body))
      for (let count = 0; count < 8; count++) await add(videoBody())
      await add(videoBody('two'))
      first.script.states = ['failed']
      await add(videoBody('vid', { service_tier: 'flex' }))
      await add(videoBody('two', { service_tier: 'flex' }))
      first.script.states = ['running']
      await add(videoBody())
      await eventually(async () => (await client.rows()).filter(({ outcome }) => outcome === 'running').length <= 1)
      const read = async (query: string) => {
        const response = await client.list(query)
        expect(response.status).toBe(200)
        const { total, items } = (await response.json()) as { total: number; items: ShownTask[] }
        return [total, items.map(({ id }) => ids.indexOf(id))] as const
      }
      const all = ids.map((_, index) => index)
      expect(await read('')).toEqual([12, all.slice(0, 10)])
      expect(await read('?page_num=2')).toEqual([12, [10, 11]])
      expect(await read('?page_num=3')).toEqual([12, []])
      expect(await read('?page_num=500&page_size=500')).toEqual([12, []])
      expect(await read('?page_size=5&page_num=2')).toEqual([12, [5, 6, 7, 8, 9]])
      expect(await read('?page_size=500')).toEqual([12, all])
      expect(await read('?filter.status=failed')).toEqual([2, [1, 2]])
      expect(await read('?filter.status=failed,succeeded&page_size=2')).toEqual([11, [1, 2]])
      expect(await read('?filter.status=failed&filter.status=cancelled')).toEqual([2, [1, 2]])
      expect(await read('?filter.status=expired')).toEqual([0, []])
      expect(await read('?filter.model=two')).toEqual([2, [1, 3]])
      expect(await read('?filter.model=none')).toEqual([0, []])
      expect(await read('?filter.service_tier=flex')).toEqual([2, [1, 2]])
      expect(await read('?filter.service_tier=flex&filter.model=two&filter.status=failed')).toEqual([1, [1]])
      expect(await read(`?filter.task_ids=${ids[4]}`)).toEqual([1, [4]])
      expect(await read(`?filter.task_ids=${ids[4]},${ids[7]}`)).toEqual([2, [4, 7]])
      expect(await read(`?filter.task_ids=${ids[7]}&filter.task_ids=${ids[4]}&filter.task_ids=none`)).toEqual([
        2,
        [4, 7],
      ])
      expect(await read(`?filter.task_ids%5B%5D=${ids[2]}`)).toEqual([1, [2]])
      expect(await read('?filter.task_ids=none')).toEqual([0, []])
      expect(await read('?other=1&page_num=&filter.status=')).toEqual([12, all.slice(0, 10)])
      const [task] = ((await (await client.list('?filter.status=succeeded')).json()) as { items: ShownTask[] }).items
      expect(task).toEqual(await client.read(task?.id ?? ''))
      for (const running of first.tasks.values()) running.states = ['succeeded']
    })

    test('what cannot be read is rejected', async () => {
      const client = await newClient()
      for (const query of [
        'page_num=0',
        'page_num=501',
        'page_num=x',
        'page_num=-1',
        'page_num=1.5',
        'page_num=1e3',
        'page_size=0',
        'page_size=501',
        'page_size=9999999',
        'filter.status=done',
        'filter.status=queued,unknown',
        `filter.task_ids=${','.repeat(500).replaceAll(',', 'a,')}a`,
      ]) {
        const expected = [query, 400, 'InvalidParameter', query.split('=')[0] ?? '']
        expect([query, ...(await errorOf(await client.list(`?${query}`)))]).toEqual(expected)
      }
    })
  })

  describe('delete', () => {
    test('queued: cancelled at the upstream, released, and then it cannot be deleted', async () => {
      const client = await newClient()
      first.script.states = ['queued']
      const id = await client.submit()
      const removed = await client.remove(id)
      expect([removed.status, await removed.text()]).toEqual([204, ''])
      expect(await client.read(id)).toMatchObject({ status: 'cancelled' })
      expect(first.count('delete')).toBe(1)
      expect(await client.rows()).toMatchObject([{ outcome: 'cancelled', cost_usd: '0.00' }])
      expect(await errorOf(await client.remove(id))).toEqual(IN_STATE)
      expect(await (await client.list('?filter.status=cancelled')).json()).toMatchObject({ total: 1 })
    })

    test.each<[string, State[], Partial<VideoScript>]>([
      ['running', ['running'], {}],
      ['queued here, running at the upstream', ['queued'], { cancel: { status: 409 } }],
      ['queued, but unknown at the upstream', ['queued'], { cancel: { status: 404 } }],
      ['queued, and the upstream fails', ['queued'], { cancel: { status: 500 } }],
      ['queued, and the upstream disconnects', ['queued'], { cancel: 'cut' }],
      ['in doubt', ['queued'], { submit: 'accept-cut', list: { status: 500 } }],
      ['being copied', ['succeeded'], { download: { status: 403 } }],
    ])('%s: not allowed, and the task goes on', async (_, states, script) => {
      const client = await newClient()
      Object.assign(first.script, { states, ...script })
      const id = await client.submit()
      if (states[0] !== 'queued') await client.until(id, 'running')
      expect(await errorOf(await client.remove(id))).toEqual(IN_STATE)
      Object.assign(first.script, { list: 'works', download: 'works' } satisfies Partial<VideoScript>)
      become('succeeded')
      await client.until(id, 'succeeded')
      expect(await client.settled()).toMatchObject([{ outcome: 'completed', cost_usd: '0.25' }])
    })

    test.each(['succeeded', 'failed', 'expired'])('%s: the record and its video are removed', async (status) => {
      const client = await newClient()
      first.script.states = [status]
      const id = await client.submit(videoBody('vid', { return_last_frame: true }))
      const { content } = await client.until(id, status)
      const urls = Object.values(content ?? {})
      expect(urls).toHaveLength(status === 'succeeded' ? 2 : 0)
      for (const url of urls) expect((await fetch(url)).status).toBe(200)
      expect((await client.remove(id)).status).toBe(204)
      expect(await errorOf(await client.show(id))).toEqual(NOT_FOUND)
      expect(await errorOf(await client.remove(id))).toEqual(NOT_FOUND)
      expect(await (await client.list()).json()).toEqual({ total: 0, items: [] })
      for (const url of urls) expect((await fetch(url)).status).toBe(404)
      expect(await client.rows()).toHaveLength(1)
    })

    test('many at once: one takes effect', async () => {
      const client = await newClient()
      first.script.states = ['queued']
      const id = await client.submit()
      const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await client.remove(id)).status))
      expect(statuses.filter((status) => status === 204).length).toBeGreaterThanOrEqual(1)
      expect(statuses.every((status) => status === 204 || status === 409)).toBe(true)
      // The upstream is asked once for all of them.
      expect(first.count('delete')).toBe(1)
      expect(await client.read(id)).toMatchObject({ status: 'cancelled' })
      expect(await client.rows()).toMatchObject([{ outcome: 'cancelled', cost_usd: '0.00' }])
    })
  })
})
