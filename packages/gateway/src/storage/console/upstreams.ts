/** Neither a draining nor a disabled upstream gets new requests; running ones, and tasks, go on. */
export const SWITCH_STATES = ['enabled', 'draining', 'disabled'] as const
export type SwitchState = (typeof SWITCH_STATES)[number]

export type UpstreamSwitch = {
  upstream: string
  state: SwitchState
  /** Since when, by the store's clock, by whom and why. */
  at: number
  actor: string
  reason: string
  /** Grows with each reset. */
  resets: number
}
