// Sends an invitation to the address that it names, where email is configured. The link is shown to the person who invites all the same.
import { mayMailInvitation, mayReceiveMail } from '../../access/mail-limits.ts'
import { LETTERS } from '../../mail/letters.ts'
import type { GatewayRole } from '../../storage/people/people.ts'
import type { OperationContext } from '../operation.ts'

type Invited = { email: string | undefined; account: string | undefined; role: GatewayRole | undefined; url: string }

/** Resolves with whether it is sent: in the background, since an SMTP server may be slow. */
export async function mailInvitation(context: OperationContext, { email, account, role, url }: Invited) {
  const { actor, storage, config, mailer } = context
  if (mailer === undefined || config.mail === undefined || email === undefined) return false
  // Whoever has not proved an address could have signed up only to write to others.
  if (actor.type === 'holder' && !(await isVerified(context, actor.person.id))) return false
  if (!(await mayMailInvitation(actor.type === 'holder' ? actor.account.id : undefined, storage))) return false
  if (!(await mayReceiveMail(email, storage))) return false
  const letter = LETTERS[await languageOf(context)].invitation({ name: config.console.name, email, url, account, role })
  mailer.inBackground(() => mailer.send({ to: email, ...letter }))
  return true
}

const isVerified = async ({ storage }: OperationContext, person: bigint): Promise<boolean> =>
  (await storage.signIns.findByPerson(person))?.emailVerifiedAt !== undefined

/** The language of the person who invites: that of the other one is not known. */
async function languageOf({ actor, storage }: OperationContext): Promise<'en' | 'zh'> {
  const person = actor.type === 'holder' ? actor.person.id : actor.type === 'person' ? actor.id : undefined
  const language = person === undefined ? undefined : (await storage.people.preferences(person)).language
  return language === 'zh' ? 'zh' : 'en'
}
