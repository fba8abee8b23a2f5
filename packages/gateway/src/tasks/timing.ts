// How long the steps of a task wait. Tests shorten these.

import { LEAST_PACE, type Pace } from '../upstreams/public/pace.ts'

export type TaskTiming = {
  /** Between two looks at the tasks that are due. */
  tickMs: number
  /** The process that submits renews its claim. Without that for this long, another one takes over. */
  submitClaimMs: number
  /** For the work on one task until its next change, or until the claim is renewed. */
  claimMs: number
  /** The list of an upstream has a task a moment after its submit. */
  firstSearchMs: number
  /** A task that an upstream took is in its list by then. */
  listedWithinMs: number
  firstPollMs: number
  longestPollMs: number
  /** A task that its upstream does not know for this long is lost. Some services need a while until they know their own. */
  missingMs: number
  firstCopyPauseMs: number
  longestCopyPauseMs: number
  /** Before the second and the third copy from a URL that certainly has no video. Then there is none. */
  hopelessPausesMs: readonly number[]
  /** A download that sends nothing for this long has failed. */
  silenceMs: number
  /** A download that is slower than this on average has failed. */
  copyPace: Pace
  /** A task that found no slot, and that its process does not wake before, is due again after this long. */
  slotWaitMs: number
  /** The same of a task that is to be run: another process may have a slot sooner. */
  runWaitMs: number
  /** How often the process that runs a task looks whether it is to end. */
  runWatchMs: number
  /** How often any process looks whether a task that is run has ended. */
  runCheckMs: number
  /** How often a client that follows a run is told what is new. */
  followMs: number
  /** How soon the receiver of a callback must acknowledge it. */
  acknowledgedWithinMs: number
  /** After the first try of a callback, and after the second. */
  callbackPausesMs: readonly number[]
}

/** No process has the lease of a task for longer, unless the store's clock was set back. */
export const LONGEST_LEASE_MS = 60_000

export const TASK_TIMING: TaskTiming = {
  tickMs: 500,
  submitClaimMs: 15_000,
  claimMs: 20_000,
  firstSearchMs: 1_000,
  listedWithinMs: 60_000,
  firstPollMs: 2_000,
  longestPollMs: 30_000,
  missingMs: 10 * 60_000,
  firstCopyPauseMs: 2_000,
  longestCopyPauseMs: 5 * 60_000,
  silenceMs: 60_000,
  hopelessPausesMs: [5_000, 15_000],
  copyPace: LEAST_PACE,
  slotWaitMs: 30_000,
  runWaitMs: 5_000,
  runWatchMs: 1_000,
  runCheckMs: 10_000,
  followMs: 200,
  acknowledgedWithinMs: 5_000,
  callbackPausesMs: [2_000, 10_000],
}
