// Asks a signed-in browser for the password before it changes what protects the sign-in. The guesses of a session have a count
// of their own, which those of others at sign-in do not touch.

import { ApiRejection } from '../../http-api/rejection.ts'
import type { SignIn } from '../../storage/storage.ts'
import type { SignedInCall } from '../call.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import { type Guesses, sessionGuesses } from './guessing/attempts.ts'
import { personRequester } from './passwords.ts'

/**
 * Throws if the password is wrong or there is none. `param`: the field of the request. The caller forgets the guesses once all
 * that it asks for is right: else a known password would allow any number of guesses at codes.
 */
export async function checkPassword(
  { person, session }: Pick<SignedInCall, 'person' | 'session'>,
  param: string,
  password: string | undefined,
  deps: Pick<ConsoleDependencies, 'store' | 'passwords'>,
): Promise<{ found: SignIn; guesses: Guesses }> {
  const found = await deps.store.signIns.findByPerson(person.id)
  const hash = found?.password
  if (found === undefined || hash === undefined) {
    throw new ApiRejection({ code: 'conflict', message: 'You have no password. Choose one first.' })
  }
  const wrong = new ApiRejection({ code: 'wrong_password', param, message: 'The password is wrong.' })
  if (password === undefined) throw wrong
  const guesses = sessionGuesses(session.id, deps)
  await guesses.check()
  const compare = () => deps.passwords.compare(password, hash)
  if (!(await deps.passwords.inPlace(personRequester(person.id), compare))) {
    await guesses.countWrong()
    throw wrong
  }
  await guesses.check()
  return { found, guesses }
}
