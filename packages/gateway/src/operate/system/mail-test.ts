// Sends one email to see whether the mail server takes it, and what it says.
import { sendOnce } from '../../mail/mailer.ts'
import { fields } from '../../request/schema/schema.ts'
import { EMAIL } from '../inputs/schemas.ts'
import { limitWork } from '../limit-work.ts'
import { auditEntry, operation, preview } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { MAIL_TEST } from '../resources/system.ts'

const MOST_AT_ONCE = 2
const limitMails = limitWork(MOST_AT_ONCE, 'too_many_mails')

export const testMail = operation({
  name: 'mail test',
  permission: 'configuration',
  route: {
    at: 'POST mail/test',
    summary: 'Sends a test email, and shows the response of the mail server',
    output: MAIL_TEST,
    example: { body: { to: 'ada@example.com' } },
  },
  input: fields({ to: EMAIL }),
  async run(context, { to }) {
    const { actor, config, storage } = context
    // Mail is for owners: whoever sends it by the gateway speaks in its name.
    if ('role' in actor && actor.role !== 'owner') throw rejected('owner_only', { act: 'send a test email' })
    const { mail } = config
    if (!mail) throw rejected('no_mail', {})
    preview(context, 'mail test', { object: 'mail', after: { to } })
    return await limitMails(actor, async () => {
      const name = config.console.name
      const letter = {
        subject: `${name}: a test`,
        text: `This is a test of the mail settings of ${name}. Nothing has to be done.\n`,
      }
      const { ok, answer } = await sendOnce(mail, { to, ...letter })
      await storage.auditLog.add(auditEntry(context, 'mail test', { object: 'mail', after: { to, ok } }))
      return { ok, to, server: new URL(mail.url).host, answer }
    })
  },
})
