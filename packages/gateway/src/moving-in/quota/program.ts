// What differs between the two programs that count money in quota units: new-api, and one-api, which it comes from.
import type { FoundTokens, Product } from '../installation.ts'
import type { SourceRow } from '../sources/source-database.ts'
import type { Channel } from './channels/channel.ts'
import type { GroupRules } from './groups/rules.ts'
import type { Known } from './known.ts'
import type { LogRow } from './logs/row.ts'
import type { Options } from './options.ts'
import type { PriceOf } from './prices/figures.ts'

export type Program = Known & {
  product: Product
  /** The first administrator is given a billion USD, and this password. */
  root: { isBoundless: boolean; password: string | undefined }
  user(row: SourceRow): { isDeleted: boolean; createdAt: number | undefined }
  token(row: SourceRow): TokenTerms
  groups(options: Options): GroupRules
  prices(options: Options): PriceOf
  channel(row: SourceRow): Channel
  /** What a row of the log counted. */
  tokens(row: SourceRow, entry: LogRow): FoundTokens
  charge(row: SourceRow, entry: LogRow, now: Prices): Charge
}

export type TokenTerms = {
  isDeleted: boolean
  /** '': that of its person. */
  group: string
  /** In place of the list that all have. */
  autoGroups: readonly string[] | undefined
  crossesGroups: boolean
  /** undefined: all of its group. */
  models: readonly string[] | undefined
  networks: readonly string[]
}

/** What is in force. */
export type Prices = { options: Options; prices: PriceOf; rules: GroupRules }
/** `group`: undefined is that of the person. `special`: why the price of the list does not explain it. */
export type Charge = { group: string | undefined; usage: FoundTokens; special: string | undefined }
