// Asks a signed-in browser for the account's password before it changes what protects the account. Attempts count as at sign-in.
import type { Account, SignIn } from '../../storage/storage.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import { Rejection } from '../rejection.ts'
import { countGuess } from './attempts.ts'

/**
 * Throws if the password is wrong or the account has none. `param`: the field of the request. The caller forgets the attempts once all
 * that it asks for is right: else a known password would allow any number of guesses at codes.
 */
export async function checkPassword(
  account: Pick<Account, 'id' | 'email'>,
  param: string,
  password: string | undefined,
  deps: Pick<ConsoleDependencies, 'store' | 'passwords'>,
): Promise<SignIn> {
  const found = await deps.store.signIns.findByAccount(account.id)
  if (found?.password === undefined) {
    throw new Rejection({ code: 'conflict', message: 'This account has no password. Choose one first.' })
  }
  if (password !== undefined) await countGuess(account.email, undefined, deps)
  if (password === undefined || !(await deps.passwords.isRight(password, found.password))) {
    throw new Rejection({ code: 'wrong_password', param, message: 'The password is wrong.' })
  }
  return found
}
