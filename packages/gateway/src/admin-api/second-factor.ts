// Dangerous changes by a person need a second factor that was shown a moment ago, where the person has one: a browser that was left
// open, or a cookie that was copied, is not enough for them. Scripts have admin keys, which are limited otherwise.
import type { Operation } from '../administration/operation.ts'
import { ApiRejection } from '../http-api/rejection.ts'
import type { Identified } from './credentials.ts'
import type { AdminDependencies } from './dependencies.ts'
import type { Input } from './read-input.ts'

const FRESH_MS = 10 * 60_000

/** Throws 403. A dry run needs none. */
export async function checkSecondFactor(
  { session }: Pick<Identified, 'session'>,
  { isDangerous }: Operation,
  { input, isDryRun }: Input,
  { store, clock }: AdminDependencies,
): Promise<void> {
  if (!isDangerous || isDryRun || session === undefined) return
  if (isDangerous !== true && input[isDangerous.with] === undefined) return
  if (session.provedAt !== undefined && clock() - session.provedAt < FRESH_MS) return
  const found = await store.signIns.findByPerson(session.person)
  if (found?.secondFactor !== undefined) throw new ApiRejection(NEEDED)
}

const NEEDED = {
  code: 'second_factor_needed',
  message:
    'This needs a code of your second factor that is not older than 10 minutes. Send one to POST /console/api/session/verify, and repeat the request.',
} as const
