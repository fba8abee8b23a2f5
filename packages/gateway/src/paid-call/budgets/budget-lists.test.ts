// Which budgets apply to a request, read from a real store: those of its account at once after a change, those across accounts once they are
// read again.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { budgetOf, newWallet, type Wallet } from '../../../../../test/support/budgets.ts'
import { newDataFolder } from '../../../../../test/support/data-folder.ts'
import { hashSecret } from '../../access/authenticate.ts'
import { createMetrics } from '../../observe/metrics/names.ts'
import { openSqlite } from '../../storage/sqlite/open-sqlite.ts'
import type { NewBudget, Storage } from '../../storage/storage.ts'
import { type BudgetLists, createBudgetLists } from './budget-lists.ts'

const HOUR = 3_600_000

let folder: string
let storage: Storage
let wallet: Wallet
let now: number
/** Whether no process of an earlier version is alive. */
let isKnown: boolean
let reads: (bigint | undefined)[]
let logged: string[]
let lists: BudgetLists
beforeEach(async () => {
  folder = newDataFolder('trivium-budgets-')
  now = Date.UTC(2026, 4, 5, 12)
  isKnown = true
  reads = []
  logged = []
  storage = await openSqlite(folder, { clock: () => now })
  wallet = await newWallet(storage)
  lists = createBudgetLists(parts(), 20)
  await lists.refresh()
})
afterEach(async () => {
  await storage.close()
  rmSync(folder, { recursive: true })
})

const parts = () => ({
  budgets: {
    inForce(account: bigint | undefined) {
      reads.push(account)
      return storage.budgets.inForce(account)
    },
    isKnownToAll: async () => isKnown,
  },
  log: { info: (message: string) => void logged.push(message) },
  metrics: createMetrics(),
  clock: () => now,
})

async function make(terms: Partial<NewBudget> & Pick<NewBudget, 'kind'>): Promise<bigint> {
  const made = await storage.budgets.create(budgetOf(terms))
  if (!made) throw new Error('no budget was made')
  return made.id
}

type Said = { model?: string; tags?: string[]; endUser?: string }
async function applyingTo({ model = 'm', tags = [], endUser = '' }: Said = {}, { secret }: Wallet = wallet) {
  const caller = await storage.keys.findCaller(hashSecret(secret))
  if (!caller) throw new Error('there is no such key')
  const attribution = tags.length === 0 && endUser === '' ? undefined : { tags, endUser, session: '' }
  return lists.applying({ caller, model, attribution })
}
const idsOf = async (...args: Parameters<typeof applyingTo>) => (await applyingTo(...args))?.map(({ id }) => id)

describe('of an account', () => {
  test('each kind applies to what it is for, and to nothing else', async () => {
    const { account, key, person } = wallet
    const other = await newWallet(storage)
    const ids = {
      account: await make({ kind: 'account', account }),
      member: await make({ kind: 'member', account, person }),
      key: await make({ kind: 'key', account, key }),
      model: await make({ kind: 'key_model', account, key, model: 'dear' }),
      tag: await make({ kind: 'tag', account, value: 'a=1' }),
      second: await make({ kind: 'tag', account, value: 'a=1', hard: false }),
      user: await make({ kind: 'end_user', account, value: 'u_1' }),
    }
    await make({ kind: 'account', account: other.account })
    await make({ kind: 'tag', account: other.account, value: 'a=1' })
    const always = [ids.account, ids.member, ids.key]
    expect(await idsOf()).toEqual(always)
    expect(await idsOf({ model: 'dear' })).toEqual([...always, ids.model])
    expect(await idsOf({ tags: ['a', 'a=1', 'b'], endUser: 'u_2' })).toEqual([...always, ids.tag, ids.second])
    expect(await idsOf({ endUser: 'u_1' })).toEqual([...always, ids.user])
    expect(await idsOf({ endUser: 'a=1', tags: ['u_1'] })).toEqual(always)
  })

  test('one without budgets is not read, nor are those that are known', async () => {
    expect(await idsOf()).toBeUndefined()
    const id = await make({ kind: 'account', account: wallet.account })
    const other = await newWallet(storage)
    reads = []
    for (const who of [wallet, other, wallet, other]) await idsOf({}, who)
    expect(reads).toEqual([wallet.account])
    expect(await idsOf()).toEqual([id])
  })

  test('requests at once share a reading', async () => {
    const id = await make({ kind: 'account', account: wallet.account })
    reads = []
    expect(await Promise.all([idsOf(), idsOf(), idsOf()])).toEqual([[id], [id], [id]])
    expect(reads).toEqual([wallet.account])
  })

  test('a change is seen by the next lookup of the key', async () => {
    const first = await make({ kind: 'account', account: wallet.account })
    expect(await idsOf()).toEqual([first])
    const second = await make({ kind: 'account', account: wallet.account })
    expect(await idsOf()).toEqual([first, second])
    await storage.budgets.change(first, { text: 'Ask Ada.' })
    expect((await applyingTo())?.[0]?.text).toBe('Ask Ada.')
    await storage.budgets.delete(first)
    expect(await idsOf()).toEqual([second])
    await storage.budgets.delete(second)
    expect(await idsOf()).toBeUndefined()
  })

  test('of more than eight, what limits comes before what counts, the operator before the holder, and small before large', async () => {
    const { account } = wallet
    const make3 = async (terms: Partial<NewBudget>, amounts: bigint[]) => {
      const ids = []
      for (const amount of amounts) ids.push(await make({ kind: 'account', account, amount, ...terms }))
      return ids
    }
    const [soft1, , soft3] = await make3({ hard: false }, [1n, 5n, 1n])
    const [holder2, holder1, holder3] = await make3({ setBy: 'holder' }, [2n, 1n, 3n])
    const [operator3, operator1, operator2] = await make3({}, [9n, 7n, 8n])
    const expected = [operator1, operator2, operator3, holder1, holder2, holder3, soft1, soft3]
    expect(await idsOf()).toEqual(expected as bigint[])
  })

  test('what is kept in memory is bounded; what was read longest ago is read again', async () => {
    const others = [wallet, await newWallet(storage), await newWallet(storage)]
    for (const { account } of others) for (let each = 0; each < 8; each++) await make({ kind: 'account', account })
    reads = []
    for (const who of [...others, ...others.slice(1), wallet]) expect(await idsOf({}, who)).toHaveLength(8)
    expect(reads).toEqual([...others, wallet].map(({ account }) => account))
  })

  test('a reading that fails is tried again', async () => {
    const id = await make({ kind: 'account', account: wallet.account })
    const good = storage.budgets.inForce
    storage.budgets.inForce = () => Promise.reject(new Error('unavailable'))
    await expect(idsOf()).rejects.toThrow('unavailable')
    storage.budgets.inForce = good
    expect(await idsOf()).toEqual([id])
  })
})

describe('across accounts', () => {
  test('they apply once they are read', async () => {
    const all = await make({ kind: 'all' })
    const group = await make({ kind: 'group', value: 'default' })
    await make({ kind: 'group', value: 'other' })
    const tag = await make({ kind: 'tag', value: 'a=1' })
    expect(await idsOf()).toBeUndefined()
    await lists.refresh()
    expect(await idsOf()).toEqual([all, group])
    expect(await idsOf({ tags: ['a=1'] })).toEqual([all, group, tag])
  })

  test('a hard one that is reached stops requests until its period ends; a soft one stops none', async () => {
    const hour = { period: 'hours', everyHours: 1, startsAt: 0 } as const
    const hard = await make({ kind: 'all', amount: 100n, ...hour })
    const soft = await make({ kind: 'all', amount: 100n, hard: false, ...hour })
    await lists.refresh()
    const applying = (await applyingTo()) ?? []
    expect(applying.map(({ id }) => id)).toEqual([hard, soft])
    expect([lists.reached(applying, 100n)?.id, lists.reached(applying, 101n)?.id]).toEqual([undefined, hard])
    await storage.budgets.change(hard, { amount: 0n })
    expect(lists.reached(applying, 1n)).toBeUndefined()
    await lists.refresh()
    expect([lists.reached(applying, 0n)?.id, lists.reached(applying, 1n)?.id]).toEqual([undefined, hard])
    // The node knows when the next period begins, and that nothing is spent in it.
    await storage.budgets.change(hard, { amount: 100n })
    await lists.refresh()
    now += HOUR
    expect(lists.reached(applying, 100n)).toBeUndefined()
    await storage.budgets.delete(hard)
    await lists.refresh()
    expect(lists.reached(applying, 1_000n)).toBeUndefined()
  })

  test('a change while they are read is read, too', async () => {
    const reading = lists.refresh()
    const id = make({ kind: 'all' })
    await Promise.all([reading, id.then(() => lists.refresh())])
    expect(await idsOf()).toEqual([await id])
  })
})

test('none apply while a process runs that would place holds without them, and the log says so once', async () => {
  isKnown = false
  lists = createBudgetLists(parts())
  const id = await make({ kind: 'account', account: wallet.account })
  await lists.refresh()
  await lists.refresh()
  expect(await idsOf()).toBeUndefined()
  isKnown = true
  await lists.refresh()
  expect(await idsOf()).toEqual([id])
  isKnown = false
  await lists.refresh()
  expect(await idsOf()).toEqual([id])
  expect(logged).toEqual([
    'budgets are not in force while a process of an earlier version runs',
    'budgets are in force: every process knows them',
  ])
})

test('end users with a budget each are read once, whoever they are', async () => {
  const { account } = wallet
  const of = (at: number) => budgetOf({ kind: 'end_user', account, value: `u_${at}` })
  const made = await Promise.all(Array.from({ length: 1_100 }, (_, at) => storage.budgets.create(of(at))))
  lists = createBudgetLists(parts())
  await lists.refresh()
  reads = []
  const seen = []
  for (let at = 0; at < 1_100; at += 99) seen.push(await idsOf({ endUser: `u_${at}`, tags: [`random-${at}`] }))
  expect(seen).toEqual(seen.map((_, at) => [made[at * 99]?.id] as bigint[]))
  expect(reads).toEqual([account])
})
