// The routes of the console API with the types of what they take and return, all from the gateway's own types.

import type {
  About,
  BegunSecondFactor,
  ChangeKey,
  ChangePassword,
  ChangePreferences,
  ConfirmSecondFactor,
  Credentials,
  ForgotPassword,
  GroupRow,
  KeyPage,
  KeyRow,
  KeyWithSecret,
  LinkToken,
  ModelNames,
  ModelRow,
  NewKey,
  Overview,
  Page,
  Receipt,
  RecoveryCodes,
  RedeemCode,
  Redeemed,
  Registered,
  RemoveSecondFactor,
  RequestPage,
  ResetPassword,
  RotateKey,
  SessionInfo,
  SetUp,
  SetUpResult,
  SignedInBrowser,
  SignInResult,
  Statement,
  UsageBreakdown,
  UsageSeries,
  Wallet,
  WalletEntry,
} from '@trivium/gateway/console-api/types.ts'

export type Params = Readonly<Record<string, string | number | null | undefined>>

export type Reads = {
  about: About
  session: SessionInfo
  sessions: SignedInBrowser[]
  overview: Overview
  keys: KeyPage
  [key: `keys/${string}`]: KeyRow
  groups: GroupRow[]
  models: ModelRow[]
  'model-names': ModelNames
  usage: UsageSeries
  'usage/breakdown': UsageBreakdown
  requests: RequestPage
  [receipt: `requests/${string}`]: Receipt
  wallet: Wallet
  'wallet/history': Page<WalletEntry>
  'wallet/statements': Statement[]
  'playground/key': KeyRow
}
export type ReadPath = keyof Reads

/** By path: the body, and the answer. */
type Writes = {
  register: [Credentials, Registered]
  'sign-in': [Credentials, SignInResult]
  'sign-out': [undefined, unknown]
  'sign-out-everywhere': [undefined, unknown]
  setup: [SetUp, SetUpResult]
  password: [ChangePassword, unknown]
  'password/forgot': [ForgotPassword, unknown]
  'password/reset': [ResetPassword, unknown]
  'email/verify': [LinkToken, unknown]
  'email/resend': [undefined, unknown]
  preferences: [ChangePreferences, unknown]
  'second-factor/begin': [undefined, BegunSecondFactor]
  'second-factor/confirm': [ConfirmSecondFactor, RecoveryCodes]
  'second-factor/remove': [RemoveSecondFactor, unknown]
  keys: [NewKey, KeyWithSecret]
  'wallet/redeem': [RedeemCode, Redeemed]
}
export type WritePath = keyof Writes | `keys/${string}`

type Write<P extends WritePath> = P extends keyof Writes
  ? Writes[P]
  : P extends `keys/${string}/rotate`
    ? [RotateKey, KeyWithSecret]
    : [ChangeKey, KeyRow]
export type WriteBody<P extends WritePath> = Write<P>[0]
export type WriteAnswer<P extends WritePath> = Write<P>[1]
