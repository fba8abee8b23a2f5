// What an engine's test file supplies to the contract, and the small vocabulary the contract is written in.
import { MAX_AMOUNT, type Nanos } from '../../src/money/amount.ts'
import { CREDIT, type Extend, type Hold, type Result, type Settle, type Void } from '../../src/money/ledger.ts'
import { NO_LIMITS } from '../../src/money/limits.ts'
import {
  type Account,
  type Budget,
  type Key,
  type NewBudget,
  type NewKey,
  NO_RESTRICTIONS,
  type Storage,
} from '../../src/storage/storage.ts'

export type Opened = {
  storage: Storage
  /** Verbs submitted together take effect in the order of their submission. */
  keepsOrder: boolean
  /** Runs one SQL statement behind the engine's back, as a person with a database shell would. */
  raw(sql: string): Promise<Record<string, unknown>[]>
  /** The same, where the contents are. */
  rawContents: Opened['raw']
  /** The store's clock, which moves only by `elapse`. */
  now(): number
  elapse(milliseconds: number): Promise<void>
  /** Closes the store and opens it again, as the next start of the program would. */
  reopen(): Promise<Storage>
  close(): Promise<void>
}
export type Open = () => Promise<Opened>
/** The store of the running test: an empty one for each. */
export type Use = () => Opened

export type Node = { nodeId: number; epoch: number }
export type Wallet = { account: bigint; key: bigint; email: string }

let serial = 0
export function newHash(): Uint8Array {
  serial += 1
  const hash = new Uint8Array(32)
  new DataView(hash.buffer).setUint32(0, serial)
  return hash
}

export async function newAccount(storage: Storage, balance: Nanos = 1_000n): Promise<Account> {
  serial += 1
  const account = await storage.accounts.create(`user-${serial}@example.com`, balance, CREDIT)
  if (!account) throw new Error('the address is taken')
  return account
}

/** A person with an account, whose ids differ: a query that takes one for the other finds nothing. */
export async function newHolder(storage: Storage): Promise<{ person: bigint; account: bigint; email: string }> {
  await storage.accounts.createNamed('without people', 0n, CREDIT)
  const { id: account, name: email } = await newAccount(storage)
  const person = await storage.people.find(email)
  if (!person) throw new Error('the account has no person')
  return { person: person.id, account, email }
}

export type KeyFields = Partial<Omit<NewKey, 'account'>>
export const keyFields = (account: bigint, fields: KeyFields = {}): NewKey => ({
  account,
  hash: newHash(),
  name: 'test',
  group: 'default',
  expiresAt: undefined,
  cap: undefined,
  capPeriod: undefined,
  limits: NO_LIMITS,
  restrictions: NO_RESTRICTIONS,
  madeBy: 'command-line',
  ...fields,
})
export const newKey = (storage: Storage, account: bigint, fields: KeyFields = {}): Promise<Key> =>
  storage.keys.create(keyFields(account, fields))

export async function newWallet(storage: Storage, balance: Nanos = 1_000n, fields: KeyFields = {}): Promise<Wallet> {
  const account = await newAccount(storage, balance)
  const key = await newKey(storage, account.id, fields)
  return { account: account.id, key: key.id, email: account.name }
}

export type BudgetFields = Partial<NewBudget> & Pick<NewBudget, 'amount'>

/** For an account and for all time, unless other fields say otherwise. Holds have to know that the keys of the account are newer then. */
export async function newBudget(storage: Storage, fields: BudgetFields): Promise<Budget> {
  const subject = { account: undefined, key: undefined, person: undefined, model: undefined, value: undefined }
  const budget = await storage.budgets.create({
    kind: 'account',
    ...subject,
    period: undefined,
    everyHours: undefined,
    startsAt: undefined,
    hard: true,
    alerts: [],
    text: '',
    setBy: 'operator',
    ...fields,
  })
  if (!budget) throw new Error('the budget was not made')
  return budget
}

export async function newNode(storage: Storage, nodeId = 1): Promise<Node> {
  const joined = await storage.ledger.apply({ verb: 'join', nodeId, config: 'test' })
  if (joined.verdict !== 'done') throw new Error(`join: ${joined.verdict}`)
  return { nodeId, epoch: Number(joined.amount) }
}

export const hold = (id: bigint, wallet: Wallet, node: Node, fields: Partial<Hold> = {}): Hold => ({
  verb: 'hold',
  id,
  account: wallet.account,
  key: wallet.key,
  nodeId: node.nodeId,
  epoch: node.epoch,
  revision: 0,
  extensible: false,
  amount: 100n,
  minimum: 100n,
  tokens: 0,
  minimumTokens: 0,
  model: 'model-x',
  upstream: 'main',
  ...fields,
})
export const extend = (id: bigint, node: Node, fields: Partial<Extend> = {}): Extend => ({
  verb: 'extend',
  id,
  nodeId: node.nodeId,
  epoch: node.epoch,
  known: MAX_AMOUNT,
  amount: 50n,
  minimum: 50n,
  tokens: 0,
  progress: 0n,
  ...fields,
})
export const settle = (id: bigint, node: Node, cost: Nanos, fields: Partial<Settle> = {}): Settle => ({
  verb: 'settle',
  id,
  nodeId: node.nodeId,
  epoch: node.epoch,
  cost,
  tokens: 0,
  outcome: 'done',
  receipt: '{"units":1}',
  ...fields,
})
export const voided = (id: bigint, node: Node, fields: Partial<Void> = {}): Void => ({
  verb: 'void',
  id,
  nodeId: node.nodeId,
  epoch: node.epoch,
  outcome: 'failed',
  receipt: '{}',
  ...fields,
})

export const result = (verdict: Result['verdict'], amount: Nanos = 0n, tokens = 0): Result => ({
  verdict,
  amount,
  tokens,
  change: 0n,
})
/** The result of a settlement; `change`: what was charged by it. */
export const charged = (amount: Nanos, change = amount): Result => ({ ...result('done', amount), change })

/** The wallet as its owner sees it, and what its key has used. */
export async function money(storage: Storage, wallet: Wallet) {
  const account = await storage.accounts.find(wallet.account)
  const key = (await storage.keys.list(wallet.account)).find((each) => each.id === wallet.key)
  return { balance: account?.balance, held: account?.held, spent: key?.spent, keyHeld: key?.held }
}

/** What a promise rejects with; undefined when it does not. (Awaiting `expect().rejects` can run other tests meanwhile.) */
export const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )
