// The fields of every response of the console API: see shape.ts.
import type { Shape } from './shape.ts'
import type {
  About,
  BegunSecondFactor,
  RecoveryCodes,
  SessionInfo,
  SetUpResult,
  SignedInBrowser,
  SignInResult,
} from './types.ts'

export const ABOUT: Shape<About> = {
  name: true,
  support_url: true,
  mail: true,
  base_url: true,
  version: true,
  registration: { open: true, trial_credit_usd: true },
  password: { min_length: true, max_length: true },
}

export const SIGN_IN_RESULT: Shape<SignInResult> = { signed_in: true, second_factor_required: true }
export const SET_UP_RESULT: Shape<SetUpResult> = { ...SIGN_IN_RESULT, password_required: true }

export const SESSION: Shape<SessionInfo> = {
  account: { id: true, email: true, created_at: true, email_verified: true, has_password: true },
  balance_usd: true,
  credit_line_usd: true,
  held_usd: true,
  available_usd: true,
  low_balance_usd: true,
  is_low: true,
  second_factor: true,
  may_set_password: true,
  language: true,
}

export const SESSIONS: Shape<SignedInBrowser[]> = [
  { id: true, user_agent: true, address: true, created_at: true, seen_at: true, current: true },
]

export const BEGUN_SECOND_FACTOR: Shape<BegunSecondFactor> = { secret: true, uri: true }
export const RECOVERY_CODES: Shape<RecoveryCodes> = { recovery_codes: [true] }
