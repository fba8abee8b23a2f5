// What the row of a new video task says.

import type { CandidateOf, OfferOf } from '../../catalogue/catalogue.ts'
import { freezePrice } from '../frozen-price.ts'
import type { VideoTaskData } from '../task.ts'
import type { Prepared, Submission } from './prepare.ts'

export const DEFAULT_DEADLINE_MS = 48 * 3_600_000

export type Reservation = {
  submission: Submission
  offer: OfferOf<'video'>
  candidate: CandidateOf<'video'>
  prepared: Prepared
  /** All of them. */
  warnings: readonly string[]
}

/** The caller's own, or the operator's, whichever is sooner. */
export function deadlineOf({ submission: { request }, candidate: { upstream } }: Reservation): number {
  const wanted = request.expiresAfter === undefined ? DEFAULT_DEADLINE_MS : request.expiresAfter * 1_000
  return Math.min(wanted, upstream.taskDeadlineMs ?? Number.POSITIVE_INFINITY)
}

export function dataOf({ submission, offer, candidate, prepared, warnings }: Reservation): VideoTaskData {
  const { request } = submission
  const { callbackUrl, returnLastFrame, generateAudio, draft, expiresAfter, safetyIdentifier } = request
  const { serviceTier } = prepared
  return {
    type: 'video',
    dialect: prepared.dialect,
    upstreamModel: candidate.route.model,
    price: freezePrice(offer),
    held: String(prepared.bound.amount),
    warnings,
    polls: 0,
    requested: prepared.requested,
    heldFor: prepared.heldFor,
    shown: {
      settings: { ...shownDefaults(prepared, request.settings), ...request.settings },
      ...(generateAudio === undefined ? {} : { generateAudio }),
      ...(draft === undefined ? {} : { draft }),
      ...(serviceTier === undefined ? {} : { serviceTier }),
      ...(expiresAfter === undefined ? {} : { expiresAfter }),
      ...(safetyIdentifier === undefined ? {} : { safetyIdentifier }),
    },
    ...(callbackUrl === undefined ? {} : { callbackUrl }),
    ...(returnLastFrame === undefined ? {} : { returnLastFrame }),
  }
}

/** A length in frames has no duration beside it. */
function shownDefaults({ defaults }: Prepared, { frames }: Submission['request']['settings']) {
  const { duration, ...others } = defaults
  return frames === undefined && duration !== undefined ? { ...others, duration } : others
}
