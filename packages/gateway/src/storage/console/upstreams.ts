// What operators did with upstreams: their switches, and what tests of them cost; and how calls of them ended.
import { fieldsOf, small, text, word } from '../fields.ts'

/** Neither a draining nor a disabled upstream gets new requests; running ones, and tasks, go on. */
export const SWITCH_STATES = ['enabled', 'draining', 'disabled'] as const
export type SwitchState = (typeof SWITCH_STATES)[number]

export const toSwitch = fieldsOf({
  upstream: text,
  state: word<SwitchState>(),
  /** Since when, by the store's clock, by whom and why. */
  at: small,
  actor: text,
  reason: text,
  /** Grows with each reset. */
  resets: small,
})
export type UpstreamSwitch = ReturnType<typeof toSwitch>
