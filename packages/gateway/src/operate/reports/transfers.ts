// Movements in the ledger, newest first.
import { formatUsd } from '../../money/amount.ts'
import { SHORTFALL, TESTS } from '../../money/book.ts'
import { formatRequestId, parseRequestId } from '../../request/ids.ts'
import { fields, optional, REQUEST_ID, text, word } from '../../request/schema/schema.ts'
import { TRANSFER_KINDS, type Transfer, type TransferKind } from '../../storage/storage.ts'
import { isoTime } from '../inputs/fields.ts'
import { findAccount } from '../inputs/find-account.ts'
import { given, pageFields, readPlace, readTimes, TIMES } from '../inputs/page.ts'
import { ACCOUNT } from '../inputs/schemas.ts'
import { BOOK_NAMES } from '../ledger/books.ts'
import { need, operation, seesCosts } from '../operation.ts'
import { TRANSFER } from '../resources/traffic.ts'

export const listTransfers = operation({
  name: 'ledger transfers',
  permission: 'see',
  route: {
    at: 'GET ledger/transfers',
    summary: 'Lists movements in the ledger, newest first',
    output: TRANSFER,
    list: true,
    csv: true,
    example: { query: 'kind=credit' },
  },
  input: fields({
    account: optional(ACCOUNT),
    kind: optional(word(...TRANSFER_KINDS)),
    reason: optional(text({ max: 1_000 })),
    /** Its transfers, oldest first. */
    request: optional(REQUEST_ID),
    reference: optional(text({ max: 1_000 })),
    ...TIMES,
    ...pageFields('a transfer'),
  }),
  /** A page may be short although there are more: it looks at a bounded number of transfers. */
  async run(context, { account: named, kind, reason, request: id, reference, from, to, ...page }) {
    const { actor } = context
    if (kind === 'test') need(actor, 'see_costs')
    const { place, limit } = readPlace(page, BigInt)
    const account = named === undefined ? undefined : (await findAccount(context, named)).id
    const request = id === undefined ? undefined : parseRequestId(id)
    const filter = { ...given({ account, kind, reason, request, reference }), ...readTimes(given({ from, to })) }
    const { rows: all, next } = await context.storage.lists.transfers(filter, place, limit)
    // What a test cost is an upstream's price.
    const rows = seesCosts(actor) ? all : all.filter((row) => kindOf(row) !== 'test')
    const names = await context.storage.accounts.names([...new Set(rows.flatMap((row) => walletOf(row) ?? []))])
    const items = rows.map((row) => ({ ...transferRow(row), account: names.get(walletOf(row) ?? 0n) ?? null }))
    return { items, next: next === undefined ? null : String(next) }
  },
})

const sideOf = (id: bigint): string => (id > 0n ? `account/${id}` : (BOOK_NAMES.get(id) ?? String(id)))

function kindOf({ request, debit, credit }: Transfer): TransferKind {
  if (debit === TESTS) return 'test'
  if (request === undefined) return credit > 0n ? 'credit' : 'debit'
  return debit === SHORTFALL || credit === SHORTFALL ? 'shortfall' : 'charge'
}

/** The account of a customer on either side; undefined: it is between accounts of the gateway. */
const walletOf = ({ debit, credit }: Transfer): bigint | undefined =>
  debit > 0n ? debit : credit > 0n ? credit : undefined

const transferRow = (transfer: Transfer) => ({
  id: String(transfer.id),
  at: isoTime(transfer.at),
  kind: kindOf(transfer),
  from: sideOf(transfer.debit),
  to: sideOf(transfer.credit),
  amount_usd: formatUsd(transfer.amount),
  reason: transfer.reason,
  request_id: transfer.request === undefined ? null : formatRequestId(transfer.request),
  reference: transfer.reference ?? null,
})
