// What the operator of a route changes in the requests that take it, as it was validated.
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import type { PricedField } from '@trivium/protocol/dialects/pass-through.ts'
import type { OperatorEdits, SystemText } from '@trivium/protocol/dialects/shared/pass-through/operator-edits.ts'

/** As it is written: values are JSON. */
export type WrittenEdits = {
  set?: Readonly<Record<string, unknown>>
  default?: Readonly<Record<string, unknown>>
  drop?: readonly string[]
  headers?: HeaderEdits
  system?: SystemText
}

/** Names in lower case. */
export type HeaderEdits = {
  set?: Readonly<Record<string, string>>
  default?: Readonly<Record<string, string>>
  drop?: readonly string[]
}

/** What of them applies to requests that are sent in one dialect. */
export type DialectEdits = {
  body: OperatorEdits
  /** The output cap of each choice. `default`: where the caller has none. */
  cap: { set?: number; default?: number }
  /** What the fields that are set need a price for. */
  priced: readonly Omit<PricedField, 'remove'>[]
  /** Fields that are set or left out, and can have a price. */
  replaced: readonly string[]
}

export type RouteEdits = {
  written: WrittenEdits
  byDialect: { readonly [D in TextDialectId]?: DialectEdits }
  /** At most what is added to a request: input like any other text. */
  textBytes: number
}

/** Features of a list of betas that change the price of tokens. */
export const isPricedBeta = (beta: string): boolean => /^context-\d+[mk]/i.test(beta)
