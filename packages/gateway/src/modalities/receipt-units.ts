// What a stored receipt tells of a request that ended, for computing what it would have cost at another price.
import type { PricedReceipt } from '../money/prices/receipt.ts'

/** `tier`: the one that was charged or, where none was, the one that the upstream reported. */
export type ReceiptUnits = Pick<PricedReceipt, 'units' | 'tools'> & {
  tier?: string
  price?: Partial<Pick<PricedReceipt['price'], 'tiers_millionths' | 'media_tiers_millionths'>>
}

/** Whether all units are among these. A receipt of several calls at different prices has others, such as `input_2`. */
export const hasOnly = ({ units }: ReceiptUnits, names: readonly string[]): boolean =>
  Object.keys(units).every((name) => names.includes(name))

/** Names of what multiplied the price. */
export const chargedTiers = (tiers: Readonly<Record<string, string>> | undefined): string[] => Object.keys(tiers ?? {})
