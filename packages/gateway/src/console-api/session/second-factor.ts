// Two-factor authentication: codes of an authenticator app, and ten recovery codes for the day when the phone is lost.
import { randomBytes } from 'node:crypto'
import { hashToken } from '../../access/secrets/tokens.ts'
import type { ApiError } from '../../http-api/errors.ts'
import { ApiRejection, badRequest } from '../../http-api/rejection.ts'
import { fields, listOf, NOTHING, string, text } from '../../request/schema/schema.ts'
import type { SecondFactor } from '../../storage/storage.ts'
import { personEntry } from '../call.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import { route } from '../route.ts'
import { checkPassword } from './check-password.ts'
import { proofGuesses } from './guessing/attempts.ts'
import { CODE, GRACE, PASSWORD } from './schemas.ts'
import { decodeBase32, encodeBase32, stepOf } from './totp.ts'

const PURPOSE = 'second factors'
const NO_CONTEXT = new Uint8Array()
const SECRET_BYTES = 20
const RECOVERY_CODES = 10
const RECOVERY_BYTES = 10

/** A secret to show as a QR code. The store learns it when a code proves that the app has it. */
export const beginSecondFactor = route(
  'POST second-factor/begin',
  {
    policy: 'session',
    summary: 'Creates a secret for an authenticator app, valid once a code confirms it',
    body: NOTHING,
    output: fields({ secret: string(), uri: string() }),
  },
  ({ person }, { config }) => {
    const secret = encodeBase32(randomBytes(SECRET_BYTES))
    const issuer = encodeURIComponent(config().console.name)
    const label = `${issuer}:${encodeURIComponent(person.email)}`
    const uri = `otpauth://totp/${label}?secret=${secret}&issuer=${issuer}&algorithm=SHA1&digits=6&period=30`
    return { secret, uri }
  },
)

export const confirmSecondFactor = route(
  'POST second-factor/confirm',
  {
    policy: 'session',
    summary: 'Turns two-factor authentication on; the recovery codes are shown once',
    body: fields({ secret: text({ max: 64 }), code: CODE, password: PASSWORD }),
    example: { secret: 'JBSWY3DPEHPK3PXP', code: '123456', password: GRACE.password },
    output: fields({ recovery_codes: listOf(string()) }),
  },
  async (call, deps) => {
    const { person, session, body } = call
    const { signIns } = deps.store
    const secret = decodeBase32(body.secret)
    if (secret?.length !== SECRET_BYTES) throw badRequest('secret', 'secret must be the one that begin returned.')
    const { found, guesses } = await checkPassword(call, 'password', body.password, deps)
    if (found.secondFactor !== undefined) throw new ApiRejection(IN_USE)
    const step = stepOf(secret, body.code.replace(/\s/g, ''), deps.clock())
    if (step === undefined) throw badRequest('code', 'The code is wrong. Check the clock of your phone, and retry.')
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode)
    const factor = {
      secret: deps.accountCipher.encrypt(person.id, PURPOSE, secret, NO_CONTEXT),
      recoveryCodes: codes.map((each) => hashToken(plain(each))),
    }
    const change = { before: { second_factor: false }, after: { second_factor: true } }
    const { signIns: written } = deps.store.audited(personEntry(call, person.id, 'second-factor on', change))
    const isSet = await written.setSecondFactor(person.id, factor, session.id)
    // Another browser was faster.
    if (!isSet) throw new ApiRejection(IN_USE)
    await guesses.forget()
    await signIns.useStep(person.id, step)
    await deps.store.sessions.prove(session.id)
    return { recovery_codes: codes }
  },
)

export const removeSecondFactor = route(
  'POST second-factor/remove',
  {
    policy: 'session',
    summary: 'Turns two-factor authentication off',
    body: fields({ password: PASSWORD, code: CODE }),
    example: { password: GRACE.password, code: '123456' },
  },
  async (call, deps) => {
    const { person, body } = call
    const { found, guesses } = await checkPassword(call, 'password', body.password, deps)
    if (found.secondFactor === undefined) throw new ApiRejection(NOT_IN_USE)
    if (!(await useCode(person.id, found.secondFactor, body.code, deps))) {
      await guesses.countWrong()
      throw badRequest('code', WRONG_CODE.message)
    }
    await guesses.check()
    await guesses.forget()
    const change = { before: { second_factor: true }, after: { second_factor: false } }
    const { signIns } = deps.store.audited(personEntry(call, person.id, 'second-factor off', change))
    await signIns.setSecondFactor(person.id, undefined)
  },
)

export const verifySession = route(
  'POST session/verify',
  {
    policy: 'session',
    summary: 'Proves the second factor again: dangerous changes of the admin API need a proof of the last 10 minutes',
    body: fields({ code: CODE }),
    example: { code: '123456' },
  },
  async (call, deps) => {
    const { person, session, body, origin, incoming } = call
    const secondFactor = (await deps.store.signIns.findByPerson(person.id))?.secondFactor
    if (secondFactor === undefined) throw new ApiRejection(NOT_IN_USE)
    const guesses = proofGuesses(session.id, person.id, deps)
    await guesses.check()
    if (!(await useCode(person.id, secondFactor, body.code, deps))) {
      await guesses.countWrong()
      deps.failedCredentials.trace(origin, incoming.id, 'second-factor failed', `person/${person.id}`)
      // Not the 401 of a sign-in: the session goes on.
      throw badRequest('code', WRONG_CODE.message)
    }
    await guesses.check()
    await guesses.forget()
    await deps.store.sessions.prove(session.id)
  },
)

/** False: the code is wrong or was used before. */
export async function useCode(
  person: bigint,
  { secret }: SecondFactor,
  written: string,
  { store, accountCipher, clock, log }: Pick<ConsoleDependencies, 'store' | 'accountCipher' | 'clock' | 'log'>,
): Promise<boolean> {
  const code = plain(written)
  if (!/^\d+$/.test(code)) return store.signIns.useRecoveryCode(person, hashToken(code))
  const opened = accountCipher.decrypt(person, PURPOSE, secret, NO_CONTEXT)
  if (opened === undefined) log.error('a second factor cannot be decrypted', { person })
  const step = opened && stepOf(opened, code, clock())
  return step !== undefined && (await store.signIns.useStep(person, step))
}

/** 80 random bits: `abcd-efgh-ijkl-mnop`. */
function newRecoveryCode(): string {
  const text = encodeBase32(randomBytes(RECOVERY_BYTES)).toLowerCase()
  return text.replace(/(.{4})(?=.)/g, '$1-')
}

/** Without the spaces and hyphens that make a code readable. */
const plain = (written: string): string => written.replace(/[\s-]/g, '').toLowerCase()

export const WRONG_CODE: ApiError = {
  code: 'wrong_code',
  param: 'code',
  message: 'The code is wrong, or it has already been used. Wait for the next code, or use a recovery code.',
}
const IN_USE: ApiError = {
  code: 'conflict',
  message: 'Two-factor authentication is already on. Turn it off first to replace it.',
}
const NOT_IN_USE: ApiError = { code: 'conflict', message: 'Two-factor authentication is not on.' }
