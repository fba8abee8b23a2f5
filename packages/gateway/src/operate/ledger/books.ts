// The accounts of the ledger: the wallets of all accounts in one sum, and those that are the gateway's own.
import { formatUsd } from '../../money/amount.ts'
import { CREDIT, REVENUE, SANDBOX_TRIAL, SHORTFALL, TESTS, TRIAL } from '../../money/book.ts'
import { NOTHING } from '../../request/schema/schema.ts'
import { operation, seesCosts } from '../operation.ts'
import { LEDGER_ACCOUNT } from '../resources/gateway.ts'

/** As they are named in transfers. */
export const BOOK_NAMES: ReadonlyMap<bigint, string> = new Map([
  [REVENUE, 'revenue'],
  [TRIAL, 'trial credit'],
  [SANDBOX_TRIAL, 'trial credit of sandbox models'],
  [CREDIT, 'credit'],
  [SHORTFALL, 'shortfall'],
  [TESTS, 'tests'],
])

export const listBooks = operation({
  name: 'ledger accounts',
  permission: 'see',
  route: {
    at: 'GET ledger/accounts',
    summary: 'Lists the accounts of the ledger with their balances',
    output: LEDGER_ACCOUNT,
    list: true,
    csv: true,
  },
  input: NOTHING,
  /** The balances add up to 0. Tests cost what upstreams charge: those who may not see costs see them as a part of the revenue. */
  async run({ storage, actor }) {
    const { wallets, held, accounts } = await storage.books.balances()
    const of = (id: bigint) => accounts.get(id) ?? 0n
    const withTests = seesCosts(actor)
    const shown = [...BOOK_NAMES].filter(([id]) => withTests || id !== TESTS)
    const own = shown.map(([id, name]) => ({
      id: name,
      balance_usd: formatUsd(id === REVENUE && !withTests ? of(REVENUE) + of(TESTS) : of(id)),
      held_usd: null,
    }))
    return {
      items: [{ id: 'wallets', balance_usd: formatUsd(wallets), held_usd: formatUsd(held) }, ...own],
      next: null,
    }
  },
})
