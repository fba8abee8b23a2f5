// Accounts, keys and budgets for tests, made in the store, and what it says of them. On SQLite only while no gateway runs, which owns it.
import { hashSecret } from '../../packages/gateway/src/access/authenticate.ts'
import { NANOS_PER_USD } from '../../packages/gateway/src/money/amount.ts'
import { CREDIT } from '../../packages/gateway/src/money/ledger.ts'
import { NO_LIMITS } from '../../packages/gateway/src/money/limits.ts'
import { NO_RESTRICTIONS } from '../../packages/gateway/src/storage/keys.ts'
import { openPostgres } from '../../packages/gateway/src/storage/postgres/open-postgres.ts'
import { openSqlite } from '../../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import type { NewBudget, Storage } from '../../packages/gateway/src/storage/storage.ts'
import type { Home } from './gateway/home.ts'

export async function withStorage<T>(
  { dataDir, databaseUrl }: Home,
  work: (storage: Storage) => Promise<T>,
): Promise<T> {
  const storage = databaseUrl === undefined ? await openSqlite(dataDir) : await openPostgres(databaseUrl)
  try {
    return await work(storage)
  } finally {
    await storage.close()
  }
}

export type Wallet = { secret: string; account: bigint; key: bigint; person: bigint; email: string }

let wallets = 0

/** An account with ten dollars, and a key that its owner has made. */
export async function newWallet({ accounts, people, keys }: Storage, group = 'default'): Promise<Wallet> {
  const email = `holder-${++wallets}-${process.pid}@example.com`
  const account = await accounts.create(email, 10n * NANOS_PER_USD, CREDIT)
  const person = await people.find(email)
  if (!account || !person) throw new Error('the address is taken')
  const key = await newKeyOf(keys, account.id, person.id, group)
  return { ...key, account: account.id, person: person.id, email }
}

export async function newKeyOf(keys: Storage['keys'], account: bigint, person: bigint, group = 'default') {
  const secret = `sk-${crypto.randomUUID().replaceAll('-', '')}`
  const none = { expiresAt: undefined, cap: undefined, capPeriod: undefined }
  const { id } = await keys.create({
    account,
    person,
    hash: hashSecret(secret),
    name: 'test',
    group,
    ...none,
    limits: NO_LIMITS,
    restrictions: NO_RESTRICTIONS,
    madeBy: 'command-line',
  })
  return { secret, key: id }
}

/** Hard, for all time, by the operator, of an amount that no test reaches by chance. */
export const budgetOf = (terms: Partial<NewBudget> & Pick<NewBudget, 'kind'>): NewBudget => ({
  account: undefined,
  key: undefined,
  person: undefined,
  model: undefined,
  value: undefined,
  amount: 1_000_000_000n,
  period: undefined,
  everyHours: undefined,
  startsAt: undefined,
  hard: true,
  alerts: [],
  text: '',
  setBy: 'operator',
  ...terms,
})
