import { describe, expect, test } from 'bun:test'
import { hold, settle } from '../../../contract/storage/harness.ts'
import type { RequestVerb, Result } from '../../money/ledger.ts'
import { StoreDown } from '../storage.ts'
import type { Decision } from './encode.ts'
import { type Lane, type LaneOptions, openLane } from './lane.ts'

const node = { nodeId: 1, epoch: 1 }
const on = (id: bigint, account: bigint) => hold(id, { account, key: account, email: '' }, node)
const done: Result = { verdict: 'done', amount: 1n, tokens: 0, change: 0n }
const serverError = (errno: string) => Object.assign(new Error(errno), { code: 'ERR_POSTGRES_SERVER_ERROR', errno })

/** A lane whose batches are answered by hand, one after the other. */
function handFed(options: Partial<LaneOptions> = {}) {
  const sent: { verbs: readonly RequestVerb[]; answer(decisions: Decision[]): void }[] = []
  const lane = openLane({
    send: (verbs) => new Promise((answer) => sent.push({ verbs, answer })),
    width: 1,
    oneAccount: false,
    ...options,
  })
  const ids = () => sent.map(({ verbs }) => verbs.map((verb) => Number(verb.id)))
  const answer = async (batch: number) => {
    sent[batch]?.answer(sent[batch].verbs.map(() => done))
    await Bun.sleep(0)
  }
  return { lane, ids, answer }
}

function push(lane: Lane, verb: RequestVerb, account = 'account' in verb ? verb.account : undefined): Promise<Result> {
  return new Promise((resolve, reject) => lane.push({ verb, account, resolve, reject }))
}

describe('batches', () => {
  test('what arrives together leaves together, and what arrives meanwhile leaves next', async () => {
    const { lane, ids, answer } = handFed()
    const first = [1n, 2n].map((id) => push(lane, on(id, id)))
    await Bun.sleep(0)
    const later = [3n, 4n, 5n].map((id) => push(lane, on(id, id)))
    await Bun.sleep(0)
    expect(ids()).toEqual([[1, 2]])
    await answer(0)
    expect(await Promise.all(first)).toEqual([done, done])
    expect(ids()).toEqual([
      [1, 2],
      [3, 4, 5],
    ])
    await answer(1)
    await Promise.all(later)
  })

  test('a request is at most once in a batch, and order is kept', async () => {
    const { lane, ids, answer } = handFed()
    const all = [on(1n, 1n), on(2n, 1n), settle(1n, node, 1n), on(3n, 1n)].map((verb) => push(lane, verb, 1n))
    await Bun.sleep(0)
    await answer(0)
    await answer(1)
    await Promise.all(all)
    expect(ids()).toEqual([
      [1, 2],
      [1, 3],
    ])
  })

  test('no batch is larger than the function can take well', async () => {
    const { lane, ids, answer } = handFed()
    const all = Array.from({ length: 300 }, (_, index) => push(lane, on(BigInt(index + 1), 1n)))
    await Bun.sleep(0)
    for (const batch of [0, 1, 2]) await answer(batch)
    await Promise.all(all)
    expect(ids().map((batch) => batch.length)).toEqual([128, 128, 44])
  })

  test('one account per batch, one batch per account, others beside it', async () => {
    const { lane, ids, answer } = handFed({ width: 2, oneAccount: true })
    const early = [on(1n, 7n), on(2n, 8n), on(3n, 7n)].map((verb) => push(lane, verb))
    await Bun.sleep(0)
    const late = [on(4n, 7n), on(5n, 9n)].map((verb) => push(lane, verb))
    await Bun.sleep(0)
    expect(ids()).toEqual([[1, 3], [2]])
    await answer(1)
    expect(ids().slice(2)).toEqual([[5]])
    await answer(2)
    expect(ids()).toHaveLength(3)
    await answer(0)
    expect(ids().slice(3)).toEqual([[4]])
    await answer(3)
    await Promise.all([...early, ...late, lane.drained()])
  })
})

describe('failures', () => {
  const failing = (decide: (verbs: readonly RequestVerb[], attempt: number) => Decision[]) => {
    let attempt = 0
    return openLane({
      width: 1,
      oneAccount: false,
      send: async (verbs) => {
        attempt += 1
        return decide(verbs, attempt)
      },
    })
  }

  test('a collision is tried again', async () => {
    const lane = failing((verbs, attempt) => {
      if (attempt < 3) throw serverError('40P01')
      return verbs.map(() => done)
    })
    expect(await push(lane, on(1n, 1n))).toEqual(done)
  })

  test('endless collisions end: the store counts as down', async () => {
    const lane = failing(() => {
      throw serverError('40001')
    })
    await expect(push(lane, on(1n, 1n))).rejects.toBeInstanceOf(StoreDown)
  })

  test.each(['22003', '40001'])('one verb that fails with %s does not take its neighbours with it', async (errno) => {
    const lane = failing((verbs) => {
      if (verbs.some((verb) => verb.id === 2n)) throw serverError(errno)
      return verbs.map(() => done)
    })
    const answers = await Promise.allSettled([1n, 2n, 3n].map((id) => push(lane, on(id, id))))
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  test('a lost connection fails the batch at once: its outcome is unknown, so it is not sent again', async () => {
    let sent = 0
    const lane = failing((_, attempt) => {
      sent = attempt
      throw Object.assign(new Error('Connection closed'), { code: 'ERR_POSTGRES_CONNECTION_CLOSED' })
    })
    const answers = await Promise.allSettled([1n, 2n].map((id) => push(lane, on(id, id))))
    for (const answer of answers) expect(answer).toMatchObject({ reason: expect.any(StoreDown) })
    expect(sent).toBe(1)
  })

  test('what is undecided is handed over, the rest is answered', async () => {
    const handed: bigint[] = []
    const lane = openLane({
      width: 1,
      oneAccount: false,
      send: async (verbs) => verbs.map((verb) => (verb.id === 1n ? 'busy' : done)),
      onBusy(waiting) {
        handed.push(waiting.verb.id)
        waiting.resolve({ verdict: 'repeated', amount: 0n, tokens: 0, change: 0n })
      },
    })
    const answers = await Promise.all([1n, 2n].map((id) => push(lane, on(id, id))))
    expect(answers.map(({ verdict }) => verdict)).toEqual(['repeated', 'done'])
    expect(handed).toEqual([1n])
  })
})
