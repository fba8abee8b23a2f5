// `account create`.
import { trialSource } from '../../config/sandbox.ts'
import { formatUsd } from '../../money/amount.ts'
import { CREDIT } from '../../money/ledger.ts'
import { boolean, fields, optional } from '../../request/schema/schema.ts'
import { hashPassword } from '../../storage/password.ts'
import { readAmount } from '../inputs/fields.ts'
import { NEW_PASSWORD } from '../inputs/schemas.ts'
import { may, operation } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { NEW_ACCOUNT } from '../resources/accounts.ts'
import { linkFor, OPENING, openAccount, planOpening } from './opening.ts'
import { shownAccount } from './rows.ts'

export const createAccount = operation({
  name: 'account create',
  permission: 'accounts',
  isDangerous: { with: 'link' },
  route: {
    at: 'POST accounts',
    summary: 'Creates an account, of a person or of none, with terms, a key and a sign-in link if wanted',
    output: NEW_ACCOUNT,
    status: 201,
    example: {
      body: {
        email: 'ada@example.com',
        credit_usd: '0',
        credit_line_usd: 'unlimited',
        cap_usd: '50',
        cap_period: 'month',
        key: 'laptop',
        link: true,
      },
    },
  },
  /** `credit_usd` replaces the trial credit. `link`: whether a sign-in link is made for the person. */
  input: fields({ ...OPENING, password: optional(NEW_PASSWORD), link: optional(boolean()) }),
  async run(context, { password, link = false, ...written }) {
    const { email, credit_usd } = written
    const plan = await planOpening(context, written)
    const absent = email !== undefined ? undefined : password !== undefined ? 'password' : link ? 'link' : undefined
    if (absent !== undefined) throw rejected('missing_field', { field: absent, other: 'email' })
    const { config, storage } = context
    const isTrial = credit_usd === undefined
    // Trial credit is money, too: who may not give any would make it without end.
    const trial = may(context.actor, 'money') ? config.registration.trialCredit : 0n
    const credit = isTrial ? trial : readAmount(credit_usd)
    if (email !== undefined && (await storage.people.find(email)))
      throw rejected('address_taken', { field: 'email', email })
    const hash = password === undefined ? undefined : await hashPassword(password)
    const source = isTrial ? trialSource(config) : CREDIT
    const opened = await openAccount(context, 'account create', plan, { credit, source, password: hash })
    const { account, secret } = opened
    const [key] = secret === undefined ? [] : await storage.keys.list(account.id)
    return {
      ...(await shownAccount(context, String(account.id))),
      credit_usd: formatUsd(credit),
      credit_is_trial: isTrial && credit > 0n,
      key_id: key === undefined ? null : String(key.id),
      secret: secret ?? null,
      sign_in_url: link ? await linkFor(context, account) : null,
    }
  },
})
