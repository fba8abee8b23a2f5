// The browsers that a person is signed in with: the one with the address, or the only one of the account.
import type { Session } from '../../storage/storage.ts'
import { isoTime } from '../inputs/fields.ts'
import { findPerson } from '../inputs/find-account.ts'
import { audited, operation } from '../operation.ts'
import { SESSIONS_SHOWN } from '../resources/accounts.ts'
import { OF_ACCOUNT, personToActOn } from './people.ts'

export const listSessions = operation({
  name: 'account sessions',
  permission: 'accounts',
  route: { at: 'GET accounts/{account}/sessions', summary: 'Lists the sessions of a person', output: SESSIONS_SHOWN },
  input: OF_ACCOUNT,
  async run(context, { account }) {
    const { id, email } = await findPerson(context, account)
    return { email, sessions: (await context.storage.sessions.list(id)).map(sessionRow) }
  },
})

export const endSessions = operation({
  name: 'account sign-out',
  permission: 'accounts',
  route: { at: 'DELETE accounts/{account}/sessions', summary: 'Signs a person out everywhere', output: SESSIONS_SHOWN },
  input: OF_ACCOUNT,
  async run(context, { account }) {
    const person = await personToActOn(context, account)
    const entry = {
      object: `person/${person.id}`,
      after: { signed_out: true },
      ...(context.dryRun
        ? { effects: { sessions_ended: (await context.storage.sessions.list(person.id)).length } }
        : {}),
    }
    await audited(context, 'account sign-out', entry).sessions.endAll(person.id)
    return { email: person.email, sessions: [] }
  },
})

const sessionRow = ({ id, userAgent, address, createdAt, seenAt, expiresAt }: Session) => ({
  id: String(id),
  user_agent: userAgent,
  address,
  created_at: isoTime(createdAt),
  seen_at: isoTime(seenAt),
  expires_at: isoTime(expiresAt),
})
