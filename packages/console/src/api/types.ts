// What the console API takes and returns, by the names that pages use.
import type { BodyOf, OutputOf, PathOf } from './routes.ts'

type Read<P extends PathOf<'console', 'GET'>> = OutputOf<'console', 'GET', P>

export type About = Read<'about'>
export type SessionInfo = Read<'session'>
export type SignedInBrowser = Read<'sessions'>[number]
export type BegunSecondFactor = OutputOf<'console', 'POST', 'second-factor/begin'>
export type MemberRow = Read<'members'>[number]
export type NewInvitationRow = OutputOf<'console', 'POST', 'invitations'>

export type KeyPage = Read<'keys'>
export type KeyRow = Read<'keys/{id}'>
export type Limits = KeyRow['limits']
export type KeyWithSecret = OutputOf<'console', 'POST', 'keys'>
export type NewKey = BodyOf<'console', 'POST', 'keys'>
export type ChangeKey = BodyOf<'console', 'POST', 'keys/{id}'>
export type GroupRow = Read<'groups'>[number]
export type ModelRow = Read<'models'>[number]

export type Overview = Read<'overview'>
export type UsageSeries = Read<'usage'>
export type SeriesPoint = UsageSeries['points'][number]
export type UsageBreakdown = Read<'usage/breakdown'>
export type RequestPage = Read<'requests'>
export type RequestSummary = RequestPage['items'][number]
export type Receipt = Read<'requests/{id}'>
export type RejectedPage = Read<'rejected-requests'>
export type RejectedSummary = RejectedPage['items'][number]

export type BudgetRow = Read<'budgets/{id}'>

export type Wallet = Read<'wallet'>
export type WalletHistory = Read<'wallet/history'>
export type WalletEntry = WalletHistory['items'][number]
export type NoticeSettings = Read<'notices/settings'>
export type Statement = Read<'wallet/statements'>[number]
