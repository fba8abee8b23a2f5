// Links that prove the ownership of a mailbox. A link works once. Its token is behind the #: browsers do not send that part, so that
// no log and no proxy sees it.
import { mayReceiveMail } from '../../access/mail-limits.ts'
import { createLink, hashToken } from '../../access/secrets/tokens.ts'
import { trialSource } from '../../config/sandbox.ts'
import type { ApiError } from '../../http-api/errors.ts'
import { ApiRejection } from '../../http-api/rejection.ts'
import { currentSession } from '../../http-api/session/sessions.ts'
import { type Language, LETTERS } from '../../mail/letters.ts'
import { formatUsd } from '../../money/amount.ts'
import { NOTHING } from '../../request/schema/schema.ts'
import type { SignIn, SignIns } from '../../storage/storage.ts'
import { type Call, personEntry } from '../call.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import { releasedBudget } from '../registration/trial-credit.ts'
import { route } from '../route.ts'
import { countMailRequest } from './guessing/attempts.ts'
import { LINK_EXAMPLE, LINK_TOKEN } from './schemas.ts'

export const requireMail = ({ config }: Pick<ConsoleDependencies, 'config'>): void => {
  if (config().mail === undefined) throw new ApiRejection(NO_MAIL)
}

type Recipient = Pick<SignIn, 'person' | 'email'>

/** Runs in the background. The link never names the host of the request, which anyone can choose. */
export async function sendLink(
  purpose: 'verify' | 'reset',
  { person, email }: Recipient,
  { http }: Pick<Call, 'http'>,
  deps: ConsoleDependencies,
): Promise<void> {
  if (!(await mayReceiveMail(email, deps.store))) return
  const { language } = await deps.store.people.preferences(person)
  const { token } = await createLink(purpose, person, deps.store.signIns, deps.clock())
  const { server, console } = deps.config()
  const url = `${server.publicUrl ?? deps.listenUrl()}/console/${purpose}#${token}`
  const letter = LETTERS[languageOf(language, http.headers.get('accept-language'))][purpose]
  await deps.mailer.send({ to: email, ...letter({ name: console.name, email, url }) })
}

function languageOf(preferred: string | undefined, accepted: string | null): Language {
  return /^\s*zh\b/i.test(preferred ?? accepted ?? '') ? 'zh' : 'en'
}

export const resendVerification = route(
  'POST email/resend',
  {
    policy: 'session',
    summary: 'Sends the link that verifies the email address again',
    body: NOTHING,
    status: 202,
  },
  async (call, deps) => {
    requireMail(deps)
    await countMailRequest(call.origin, deps)
    const found = await deps.store.signIns.findByPerson(call.person.id)
    if (found === undefined || found.emailVerifiedAt !== undefined) return
    deps.mailer.inBackground(() => sendLink('verify', found, call, deps))
  },
)

/** The browser that signed up is still signed in: then the mailbox and the sign-up have one holder. */
export const verifyEmail = route(
  'POST email/verify',
  { policy: 'public', summary: 'Verifies an email address by a link', body: LINK_TOKEN, example: LINK_EXAMPLE },
  async (call, deps) => {
    const person = await deps.store.signIns.useLink(hashToken(call.body.token), 'verify')
    if (person === undefined) throw new ApiRejection(LINK_EXPIRED)
    const current = await currentSession(call, deps)
    await proveAddress(call, person, { verified: true, isHolder: current?.person.id === person }, deps)
  },
)

/** A link was opened that reached the holder of the address, by email or through the operator. */
export async function proveAddress(
  call: Pick<Call, 'origin' | 'incoming'>,
  person: bigint,
  proof: Parameters<SignIns['proveAddress']>[1],
  { store, config, clock, log }: ConsoleDependencies,
): Promise<void> {
  const { signIns } = store.audited(
    personEntry(call, person, 'address proved', { after: { by_email: proof.verified } }),
  )
  if (await signIns.proveAddress(person, proof))
    log.info('address proved for the first time: keys, sessions and second factor from before were ended', { person })
  const { trialCredit, trialBudgetPerDay } = config().registration
  const budget = releasedBudget(trialBudgetPerDay, trialCredit, clock())
  await store.accounts.grantDueTrial(person, { budget, source: trialSource(config()) }, (account, credit) =>
    personEntry(call, person, 'account credit', {
      object: `account/${account}`,
      after: { amount_usd: formatUsd(credit) },
      reason: 'trial credit',
    }),
  )
}

export const LINK_EXPIRED: ApiError = {
  code: 'link_expired',
  message: 'This link has already been used, has expired, or was replaced by a newer one.',
}
const NO_MAIL: ApiError = {
  code: 'mail_not_configured',
  message: 'This gateway sends no email. Ask its operator. (Operators: set mail in the configuration file.)',
}
