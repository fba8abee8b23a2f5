// What is found in another gateway's database, in words that are ours. Readers make it; nothing here knows where it is written to.
import type { Nanos } from '../money/amount.ts'
import type { BudgetPeriod } from '../money/budgets/budget.ts'
import type { Limits } from '../money/limits.ts'
import type { BudgetKind } from '../storage/console/budgets.ts'
import type { MemberRole } from '../storage/people/members.ts'
import type { GatewayRole } from '../storage/people/people.ts'
import type { Findings } from './findings.ts'

export const PRODUCTS = ['litellm', 'new-api', 'one-api'] as const
export type Product = (typeof PRODUCTS)[number]

/** Unique among the things of one kind in the source, and the same in every later run: `user:7`, `team:blue`. */
export type SourceId = string

/** Each stream is read once, in this order: what refers to others comes after them. */
export type Installation = {
  product: Product
  /** As its database tells it; '': it does not. */
  version: string
  findings: Findings
  configuration: FoundConfiguration
  people(): AsyncIterable<FoundPerson>
  accounts(): AsyncIterable<FoundAccount>
  keys(): AsyncIterable<FoundKey>
  budgets(): AsyncIterable<FoundBudget>
  codes(): AsyncIterable<FoundCode>
  /** By day, model, key, person and account; no row of the log twice. */
  usage(): AsyncIterable<FoundUsage>
  /** Rows of the old log with what they cost there, evenly over the log. */
  charges(most: number): AsyncIterable<FoundCharge>
}

/** Entries as the stored configuration has them; `secrets` of upstreams are their decrypted credentials. */
export type FoundConfiguration = {
  upstreams: readonly FoundEntry[]
  models: readonly FoundEntry[]
  groups: readonly FoundEntry[]
  /** Sections of settings, by name. */
  settings: Readonly<Record<string, unknown>>
}
/** `from`: where it stands in the source, for the report: `channels 7`, `config.yaml model_list[3]`. */
export type FoundEntry = { id: string; from: string; value: Readonly<Record<string, unknown>> }

export type FoundPerson = {
  id: SourceId
  name: string
  /** undefined: none, or not a valid one. Two people of one address differ in the source, not here: the second has none, and a finding. */
  email: string | undefined
  /** As it is hashed there. undefined: the person signs in otherwise. */
  password: FoundPassword | undefined
  mustChangePassword: boolean
  role: GatewayRole | undefined
  disabled: boolean
  createdAt: number | undefined
}
export type FoundPassword = { form: 'bcrypt' | 'litellm-scrypt' | 'sha256'; hash: string }

export type FoundAccount = {
  id: SourceId
  name: string
  owner: SourceId | undefined
  members: readonly FoundMember[]
  /** undefined: the product has no wallets, so that credit is unlimited and budgets alone limit it. */
  balance: Nanos | undefined
  /** Ever, which the reports of before have. */
  spent: Nanos
  limits: Limits
  /** The groups that its people may choose. */
  groups: readonly string[]
  /** On top of the balance, and used before it. Absent: none. */
  credits?: readonly FoundCredit[]
  disabled: boolean
  createdAt: number | undefined
}
export type FoundCredit = { id: SourceId; amount: Nanos; expiresAt: number | undefined }
export type FoundMember = { person: SourceId; role: MemberRole }

export type FoundKey = {
  id: SourceId
  account: SourceId
  person: SourceId | undefined
  name: string
  /** SHA-256 of what clients send, in each form in which they do. The first is the key's own; `until`: works no longer than this. */
  secrets: readonly [FoundSecret, ...FoundSecret[]]
  lastFour: string
  group: string
  state: 'live' | 'disabled' | 'expired'
  expiresAt: number | undefined
  spent: Nanos
  limits: Limits
  /** undefined: all of its group. None: it may call no model. */
  models: readonly string[] | undefined
  networks: readonly string[] | undefined
  /** Names that only this key calls models by. */
  aliases: Readonly<Record<string, string>>
  tags: readonly string[]
  createdAt: number | undefined
}
export type FoundSecret = { hash: Uint8Array; until?: number }

/** A cap is a budget of the kind `account`, `member` or `key`. */
export type FoundBudget = {
  id: SourceId
  kind: BudgetKind
  /** undefined: across accounts. */
  account: SourceId | undefined
  key: SourceId | undefined
  person: SourceId | undefined
  model: string | undefined
  value: string | undefined
  amount: Nanos
  period: BudgetPeriod | undefined
  everyHours: number | undefined
  startsAt: number | undefined
  hard: boolean
  /** In the window that is open now; of a window that has ended: 0. */
  spentNow: Nanos
}

export type FoundCode = {
  id: SourceId
  /** SHA-256 of the code as people type it. */
  hash: Uint8Array
  lastFour: string
  name: string
  amount: Nanos
  expiresAt: number | undefined
}

export type FoundUsage = {
  /** UTC, as the number of the day since 1970. */
  day: number
  model: string
  key: SourceId | undefined
  person: SourceId | undefined
  account: SourceId | undefined
  /** With those that failed. */
  requests: number
  failed: number
  inputTokens: number
  cachedTokens: number
  outputTokens: number
  cost: Nanos
}

export type FoundCharge = {
  /** The row of the log. */
  from: string
  /** As it was asked for. */
  model: string
  group: string
  usage: FoundTokens
  /** In 10^-9 USD, as exactly as the source has it. */
  charged: Nanos
  /** The source rounds each charge to a multiple of this; 1: not at all. */
  rounding: Nanos
  /** undefined: the charge has nothing that explains another price than that of the list. Otherwise the cause, in words. */
  special: string | undefined
}
/** `input` is the whole, cached tokens included. */
export type FoundTokens = {
  input: number
  cached: number
  cacheWrite: number
  cacheWriteHour: number
  output: number
  reasoning: number
  audioInput: number
  audioOutput: number
  images: number
  requests: number
}
