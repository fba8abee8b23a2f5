// Prices requests of the last days again by another catalogue: from their receipts, in slices, as far back as the bounds allow.
import type { Catalogue } from '../../catalogue/catalogue.ts'
import { modalityOf } from '../../modalities/index.ts'
import type { ReceiptUnits } from '../../modalities/receipt-units.ts'
import type { Nanos } from '../../money/amount.ts'
import { firstIdAt, timeOfId } from '../../request/ids.ts'
import type { ListedRequest, Storage } from '../../storage/storage.ts'

/** Requests that are read at once. */
const PAGE = 1_000
/** Requests that are priced at once: other work runs in between. */
const SLICE = 100
/** The most pages read from the store, each over at most 10,000 requests of any model. */
const MOST_PAGES = 120
const LONGEST_MS = 15_000

/** `before` includes what an account could not pay: it was owed by the same price. */
type Pair = { before: Nanos; after: Nanos }
export type Sums = Pair & {
  requests: number
  /** They were charged, and cannot be priced again: the receipt is gone or does not say enough, or the model would not be offered. */
  leftOut: number
  upstreamCost: Nanos
  unknownCosts: number
  byAccount: Map<bigint, Pair>
  /** Not all of the range was looked at, only what is newer. */
  reachedBack: number | undefined
}

/** `most`: so many requests, the newest. */
export async function priceAgain(
  { lists }: Pick<Storage, 'lists'>,
  catalogue: Catalogue,
  { model, group }: { model?: string; group?: string },
  from: number,
  most: number,
): Promise<Sums> {
  const sums: Sums = {
    before: 0n,
    after: 0n,
    requests: 0,
    leftOut: 0,
    upstreamCost: 0n,
    unknownCosts: 0,
    byAccount: new Map(),
    reachedBack: undefined,
  }
  const filter = model === undefined ? { from } : { model, from }
  const deadline = performance.now() + LONGEST_MS
  let after: bigint | undefined
  for (let page = 0; page < MOST_PAGES && performance.now() < deadline; page += 1) {
    const { rows, next } = await lists.requests(filter, after === undefined ? {} : { after }, PAGE)
    for (const [index, listed] of rows.entries()) {
      if (sums.requests + sums.leftOut === most) return { ...sums, reachedBack: timeOfId(listed.row.request) }
      addPriced(sums, listed, catalogue, group)
      if (index % SLICE === SLICE - 1) await Bun.sleep(0)
    }
    if (next === undefined) return sums
    after = next
  }
  return { ...sums, reachedBack: timeOfId(after ?? firstIdAt(from)) }
}

type Receipt = Partial<ReceiptUnits> & { group?: string; model?: string }

/** `group`: only requests of its keys count. */
function addPriced(sums: Sums, listed: ListedRequest, catalogue: Catalogue, group: string | undefined): void {
  const { row, account, upstreamCost } = listed
  const before = row.cost + row.shortfall
  if (before === 0n && row.receipt === '') return
  const receipt = parsed(row.receipt)
  if (group !== undefined && receipt.group !== group) return
  const { units } = receipt
  // Nothing was charged, and nothing would be.
  if (units === undefined && before === 0n) return
  const offer = catalogue.offers.get(receipt.group ?? '')?.get(receipt.model ?? row.model)
  const after = offer && units && modalityOf(offer.model.type).reprice(offer.rate, { ...receipt, units })
  if (after === undefined) {
    sums.leftOut += 1
    return
  }
  sums.requests += 1
  sums.before += before
  sums.after += after
  if (upstreamCost === undefined) sums.unknownCosts += 1
  else sums.upstreamCost += upstreamCost
  const known = sums.byAccount.get(account) ?? { before: 0n, after: 0n }
  sums.byAccount.set(account, { before: known.before + before, after: known.after + after })
}

function parsed(text: string): Receipt {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
