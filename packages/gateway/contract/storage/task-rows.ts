// The rows of video tasks: of several processes that work on one task, only one can change it.
import { expect, test } from 'bun:test'
import { LONGEST_PAUSE_MS, type NewTask, type TaskChange, type TaskFilter } from '../../src/storage/tasks.ts'
import { thrownBy, type Use } from './harness.ts'

const CLAIM_MS = 1_000
const MAX_ID = (1n << 63n) - 1n
const newTask = (id: bigint, fields: Partial<NewTask> = {}): NewTask => ({
  id,
  account: 7n,
  key: 1n,
  type: 'video',
  model: 'video-x',
  serviceTier: undefined,
  state: 'submitting',
  status: 'queued',
  upstream: 'main',
  upstreamKey: 'hash',
  upstreamTask: undefined,
  data: '{}',
  deadlineInMs: 3_600_000,
  dueInMs: 0,
  ...fields,
})
const ENDED: TaskChange = { state: 'succeeded', status: 'succeeded', dueInMs: undefined, keepMs: 5_000 }

export function taskRowsContract(use: Use): void {
  const tasks = () => use().storage.tasks
  const idsOf = (rows: readonly { id: bigint }[]) => rows.map(({ id }) => id)
  const claimed = async (limit = 10, claimMs = CLAIM_MS) => idsOf(await tasks().claimDue(limit, claimMs))

  test.each([
    [
      'with every field',
      newTask(MAX_ID, { serviceTier: 'flex', upstreamTask: 'cgt-1', data: '{"prompt":"🎬 \\u0000"}' }),
    ],
    ['with the least', newTask(1n)],
  ])('a task %s is found as it was inserted, also after a restart', async (_, task) => {
    const { storage, now, elapse, reopen } = use()
    expect(await storage.tasks.find(task.id)).toBeUndefined()
    const { deadlineInMs, dueInMs, ...fields } = task
    const times = { createdAt: now(), updatedAt: now(), deadline: now() + deadlineInMs }
    expect(await storage.tasks.insert(task)).toEqual({ ...fields, ...times, version: 1, now: now() })
    await elapse(3)
    const next = await reopen()
    expect(await next.tasks.find(task.id)).toEqual({ ...fields, ...times, version: 1, now: now() })
    expect(await next.tasks.find(task.id - 1n)).toBeUndefined()
  })

  test('tasks of other types than videos are counted while they are open, and listed apart', async () => {
    for (const id of [1n, 2n, 3n, 4n]) await tasks().insert(newTask(id, id === 1n ? {} : { type: 'response' }))
    await tasks().insert(newTask(5n, { type: 'response', account: 8n }))
    expect([await tasks().open(7n, 'response'), await tasks().open(7n, 'response', 3n)]).toEqual([3, 2])
    await tasks().update(2n, 1, ENDED)
    expect([await tasks().open(7n, 'response'), await tasks().open(7n, 'song')]).toEqual([2, 0])
    const listed = (await tasks().list(7n, { type: 'video' }, { offset: 0, limit: 10 })).tasks
    expect(listed.map(({ id, type }) => [id, type])).toEqual([[1n, 'video']])
  })

  test('the versions of those that exist, also of the largest id', async () => {
    for (const id of [1n, 2n, MAX_ID]) await tasks().insert(newTask(id))
    await tasks().update(2n, 1, { dueInMs: 0 })
    const versions = [
      [1n, 1],
      [2n, 2],
      [MAX_ID, 1],
    ] as const
    expect(await tasks().versions([1n, 2n, 3n, MAX_ID])).toEqual(new Map(versions))
    expect(await tasks().versions([])).toEqual(new Map())
  })

  test('an id has one task, and the statements beside a second insert take effect', async () => {
    await tasks().insert(newTask(1n))
    const [again, beside] = await Promise.all([
      thrownBy(tasks().insert(newTask(1n, { data: '2' }))),
      tasks().insert(newTask(2n)),
    ])
    expect([String(again), beside.id]).toEqual([expect.stringContaining('already'), 2n])
    expect((await tasks().find(1n))?.data).toBe('{}')
  })

  test('what no store can keep is rejected before it is sent', async () => {
    for (const wrong of [{ data: '\0' }, { model: '\ud800' }, { upstreamTask: '\0' }, { serviceTier: '\0' }])
      expect(await thrownBy(tasks().insert(newTask(1n, wrong)))).toBeInstanceOf(TypeError)
    expect(await thrownBy(tasks().insert(newTask(0n)))).toBeInstanceOf(RangeError)
    await tasks().insert(newTask(1n))
    const wrong = { upstreamTask: '\udc00', dueInMs: 0 }
    expect(await thrownBy(tasks().update(1n, 1, wrong))).toBeInstanceOf(TypeError)
    expect((await tasks().find(1n))?.version).toBe(1)
  })

  test('an update changes the fields it has and raises the version; updatedAt follows the status alone', async () => {
    const { elapse, now } = use()
    const inserted = await tasks().insert(newTask(1n))
    await elapse(10)
    const sent = { state: 'queued', status: 'queued', upstreamTask: 'cgt-1', data: '{"a":1}' } as const
    const queued = { ...inserted, ...sent, version: 2, now: now() }
    expect(await tasks().update(1n, 1, { ...sent, dueInMs: 0 })).toEqual(queued)
    await elapse(10)
    const running = {
      ...queued,
      state: 'running',
      status: 'running',
      version: 3,
      updatedAt: now(),
      now: now(),
    } as const
    expect(await tasks().update(1n, 2, { state: 'running', status: 'running', dueInMs: 0 })).toEqual(running)
    await elapse(10)
    const moved = { upstream: 'second', upstreamKey: 'other', state: 'copying' } as const
    expect(await tasks().update(1n, 3, { ...moved, upstreamTask: undefined, dueInMs: 0.5 })).toEqual({
      ...running,
      ...moved,
      version: 4,
      now: now(),
    })
  })

  test('of concurrent updates of one version one succeeds', async () => {
    await tasks().insert(newTask(1n))
    const tried = await Promise.all(
      Array.from({ length: 20 }, (_, each) => tasks().update(1n, 1, { data: String(each), dueInMs: 0 })),
    )
    const done = tried.filter((row) => row !== undefined)
    expect(done).toMatchObject([{ version: 2 }])
    expect((await tasks().find(1n))?.data).toBe(done[0]?.data ?? '')
    for (const wrong of [0, 1, 3]) expect(await tasks().update(1n, wrong, { dueInMs: 0 })).toBeUndefined()
    expect(await tasks().update(2n, 1, { dueInMs: 0 })).toBeUndefined()
  })

  test('of a concurrent update, claim and removal of one version one succeeds', async () => {
    for (let id = 1n; id <= 20n; id++) {
      await tasks().insert(newTask(id))
      const [updated, removed, due] = await Promise.all([
        tasks().update(id, 1, { dueInMs: undefined }),
        tasks().remove(id, 1),
        tasks().claimDue(1, CLAIM_MS),
      ])
      expect([updated !== undefined, removed, due.length > 0].filter(Boolean)).toHaveLength(1)
    }
  })

  test('tasks are claimed once they are due, those that have been due for longest first', async () => {
    const { elapse } = use()
    for (const [id, dueInMs] of [
      [1n, 30],
      [2n, 10],
      [3n, 20],
      [4n, 40],
    ] as const)
      await tasks().insert(newTask(id, { dueInMs }))
    expect(await tasks().unfinished()).toEqual([{ state: 'submitting', tasks: 4 }])
    await elapse(9)
    expect(await claimed()).toEqual([])
    await elapse(21)
    expect(await claimed(2)).toEqual([2n, 3n])
    expect(await claimed(2)).toEqual([1n])
    await elapse(10)
    expect(await tasks().claimDue(2, CLAIM_MS)).toMatchObject([{ id: 4n, version: 2, data: '{}' }])
    expect(await claimed(0)).toEqual([])
  })

  test('each account and each upstream gets its share of a claim, and those that have enough get none', async () => {
    const { elapse } = use()
    for (let id = 1n; id <= 8n; id++) await tasks().insert(newTask(id))
    await elapse(1)
    await tasks().insert(newTask(11n, { account: 8n, upstream: 'other' }))
    await tasks().insert(newTask(12n, { account: 9n }))
    const shares = { mostOfEach: 10, exceptAccounts: [], exceptUpstreams: [] }
    const claim = async (limit: number, more: object) =>
      idsOf(await tasks().claimDue(limit, CLAIM_MS, { ...shares, ...more })).toSorted()
    // One of each of three accounts.
    expect((await claim(3, {})).filter((id) => id > 10n)).toEqual([11n, 12n])
    expect(await claim(10, { mostOfEach: 2 })).toHaveLength(2)
    await tasks().insert(newTask(13n, { account: 8n, upstream: 'other' }))
    expect(await claim(10, { exceptAccounts: [7n] })).toEqual([13n])
    await tasks().insert(newTask(14n, { account: 8n, upstream: 'other' }))
    expect(await claim(10, { exceptUpstreams: ['main', 'absent'] })).toEqual([14n])
    expect(await claim(10, {})).toHaveLength(5)
  })

  test('a clock that was set back: what is due later than any task waits is due now, and claims are over', async () => {
    const { elapse } = use()
    await tasks().insert(newTask(1n, { dueInMs: 60_000 }))
    await tasks().insert(newTask(2n))
    expect(await claimed()).toEqual([2n])
    await elapse(-3_600_000)
    await tasks().insert(newTask(3n, { dueInMs: LONGEST_PAUSE_MS }))
    expect((await claimed()).toSorted()).toEqual([1n, 2n])
    expect(await claimed()).toEqual([])
    await elapse(LONGEST_PAUSE_MS)
    expect(await claimed()).toContain(3n)
  })

  test('claimers at the same time never get the same task, and together all of them', async () => {
    const all = Array.from({ length: 60 }, (_, index) => BigInt(index + 1))
    await Promise.all(all.map((id) => tasks().insert(newTask(id))))
    const found = await Promise.all(Array.from({ length: 12 }, () => tasks().claimDue(7, CLAIM_MS)))
    const ids = [...found.flatMap(idsOf), ...(await claimed(60))]
    expect(ids.sort((one, other) => Number(one - other))).toEqual(all)
    expect(found.every((rows) => rows.length <= 7)).toBe(true)
  })

  test('an expired claim can be taken, and the former claimer cannot change the task any more', async () => {
    const { elapse } = use()
    await tasks().insert(newTask(1n))
    expect(await tasks().claimDue(1, CLAIM_MS)).toMatchObject([{ version: 2 }])
    await elapse(CLAIM_MS - 1)
    expect(await claimed()).toEqual([])
    await elapse(1)
    expect(await tasks().claimDue(1, CLAIM_MS)).toMatchObject([{ version: 3, status: 'queued' }])
    expect(await tasks().update(1n, 2, ENDED)).toBeUndefined()
    expect(await tasks().renew(1n, 2, CLAIM_MS)).toBe(false)
    expect(await tasks().remove(1n, 2)).toBe(false)
    expect(await tasks().update(1n, 3, { dueInMs: 0 })).toMatchObject({ version: 4, state: 'submitting' })
  })

  test('a new owner of the store releases the claims of the former one, and what was being submitted is due', async () => {
    const LATER = 60_000
    await tasks().insert(newTask(1n, { state: 'accepted', dueInMs: LATER }))
    await tasks().insert(newTask(2n, { state: 'submitting', dueInMs: LATER }))
    await tasks().insert(newTask(3n, { state: 'queued' }))
    expect(await claimed()).toEqual([3n])
    await tasks().insert(newTask(4n, { state: 'running', dueInMs: LATER }))
    await tasks().insert(newTask(5n))
    await tasks().update(5n, 1, { ...ENDED, claimMs: LATER })
    await tasks().releaseClaims()
    expect((await claimed()).toSorted()).toEqual([1n, 2n, 3n])
    // The former holder of the claim cannot change the task any more.
    expect(await tasks().update(3n, 2, { dueInMs: 0 })).toBeUndefined()
  })

  test('a renewed claim lasts from the renewal on, and the version stays', async () => {
    const { elapse } = use()
    await tasks().insert(newTask(1n))
    await claimed()
    await elapse(CLAIM_MS - 1)
    expect(await tasks().renew(1n, 2, CLAIM_MS)).toBe(true)
    await elapse(CLAIM_MS - 1)
    expect(await claimed()).toEqual([])
    // No process has taken it since it expired.
    await elapse(1)
    expect(await tasks().renew(1n, 2, CLAIM_MS)).toBe(true)
    expect(await claimed()).toEqual([])
    expect(await tasks().update(1n, 2, { dueInMs: 0 })).toMatchObject({ version: 3 })
  })

  test.each([
    ['releases the claim', { dueInMs: 0 }, 0],
    ['makes it due later', { dueInMs: 50 }, 50],
    ['keeps the claim', { dueInMs: 0, claimMs: 80 }, 80],
    ['keeps the claim for less than it is due in', { dueInMs: 90, claimMs: 20 }, 90],
    ['leaves nothing to do', { dueInMs: undefined }, Infinity],
    ['leaves nothing to do but keeps the claim', { dueInMs: undefined, claimMs: 10 }, Infinity],
  ])('an update that %s', async (_, change, claimableInMs) => {
    const { elapse } = use()
    await tasks().insert(newTask(1n))
    await claimed()
    await tasks().update(1n, 2, change)
    if (claimableInMs === Infinity) {
      await elapse(10 * CLAIM_MS)
      return expect(await claimed()).toEqual([])
    }
    if (claimableInMs > 0) {
      await elapse(claimableInMs - 1)
      expect(await claimed()).toEqual([])
      await elapse(1)
    }
    expect(await claimed()).toEqual([1n])
  })

  /** Tasks of account 7: ids 1 to 6, without 5. */
  async function manyTasks(): Promise<void> {
    await tasks().insert(newTask(1n, { serviceTier: 'flex' }))
    await tasks().insert(newTask(3n, { status: 'running', serviceTier: 'default' }))
    await tasks().insert(newTask(2n, { model: 'video-y', status: 'failed' }))
    await tasks().insert(newTask(4n, { status: 'succeeded', serviceTier: 'flex' }))
    await tasks().insert(newTask(6n, { model: 'video-y' }))
    await tasks().insert(newTask(5n, { state: 'accepted' }))
    await tasks().insert(newTask(9n, { account: 8n, serviceTier: 'flex' }))
  }

  test.each<[string, TaskFilter, bigint[]]>([
    ['account alone', {}, [6n, 4n, 3n, 2n, 1n]],
    ['status', { statuses: ['queued'] }, [6n, 1n]],
    ['several statuses', { statuses: ['running', 'failed', 'expired'] }, [3n, 2n]],
    ['no status', { statuses: [] }, []],
    ['model', { model: 'video-y' }, [6n, 2n]],
    ['a model that does not exist', { model: "'" }, []],
    ['service tier', { serviceTier: 'flex' }, [4n, 1n]],
    ['the tier of tasks that say nothing', { serviceTier: 'default' }, [6n, 3n, 2n]],
    ['ids, not of another account', { ids: [1n, 6n, 5n, 9n, MAX_ID, 1n] }, [6n, 1n]],
    ['no id', { ids: [] }, []],
    ['all', { ids: [1n, 2n, 3n], statuses: ['failed', 'queued'], model: 'video-x', serviceTier: 'flex' }, [1n]],
  ])('the tasks of an account, newest first, by %s', async (_, filter, expected) => {
    await manyTasks()
    const list = await tasks().list(7n, filter, { offset: 0, limit: 10 })
    expect([list.total, idsOf(list.tasks)]).toEqual([expected.length, expected])
  })

  test('the tasks of an account in pages', async () => {
    await manyTasks()
    const page = async (offset: number, limit: number, filter: TaskFilter = {}) => {
      const { total, tasks: rows } = await tasks().list(7n, filter, { offset, limit })
      return [total, ...idsOf(rows)]
    }
    expect([await page(0, 2), await page(2, 2), await page(4, 2), await page(6, 2)]).toEqual([
      [5, 6n, 4n],
      [5, 3n, 2n],
      [5, 1n],
      [5],
    ])
    expect(await page(1, 1, { statuses: ['queued'] })).toEqual([2, 1n])
    expect(await tasks().list(8n, {}, { offset: 0, limit: 9 })).toMatchObject({ total: 1, tasks: [{ account: 8n }] })
    expect(await tasks().list(1n, {}, { offset: 0, limit: 9 })).toEqual({ total: 0, tasks: [] })
    const inserted = await tasks().insert(newTask(7n, { serviceTier: 'flex', upstreamTask: 'cgt-7' }))
    expect((await tasks().list(7n, {}, { offset: 0, limit: 1 })).tasks).toEqual([inserted])
  })

  test('an accepted task is listed from its next state on', async () => {
    await tasks().insert(newTask(1n, { state: 'accepted' }))
    await tasks().update(1n, 1, { state: 'submitting', dueInMs: 0 })
    expect((await tasks().list(7n, {}, { offset: 0, limit: 9 })).total).toBe(1)
  })

  test('a removed task is gone, and its id cannot be changed any more', async () => {
    await tasks().insert(newTask(1n))
    expect(await tasks().remove(1n, 2)).toBe(false)
    expect(await tasks().remove(1n, 1)).toBe(true)
    expect(await tasks().remove(1n, 1)).toBe(false)
    expect([await tasks().find(1n), await tasks().update(1n, 1, ENDED), await claimed()]).toEqual([
      undefined,
      undefined,
      [],
    ])
  })

  test('ended tasks are removed after their time, at most so many at once; others stay', async () => {
    const { elapse } = use()
    expect(await tasks().sweep(10)).toBe(0)
    for (let id = 1n; id <= 5n; id++) await tasks().insert(newTask(id))
    for (let id = 1n; id <= 4n; id++) await tasks().update(id, 1, ENDED)
    // A later change without a time keeps the former one, with a time it counts from then.
    await tasks().update(1n, 2, { data: '{"told":true}', dueInMs: undefined })
    await elapse(1)
    await tasks().update(2n, 2, { dueInMs: undefined, keepMs: 5_000 })
    await elapse(4_998)
    expect(await tasks().sweep(10)).toBe(0)
    await elapse(1)
    expect([await tasks().sweep(2), await tasks().sweep(2), await tasks().sweep(2)]).toEqual([2, 1, 0])
    await elapse(1)
    expect(await tasks().sweep(2)).toBe(1)
    await elapse(1_000_000)
    expect([await tasks().sweep(2), (await tasks().find(5n))?.id]).toEqual([0, 5n])
  })
}
