// The outbox of notices. A delivery is claimed before it is sent, and repeated only if it is known that it did not arrive: what a process was
// sending when it was killed, or what broke off in between, is not sent again, and shown as unknown. Each arrives at most once; a webhook
// that did not answer in time is repeated with the same id, by which the receiver tells it.

import { signatureHeaders } from '../access/secrets/callback-secret.ts'
import { checkCallbackUrl } from '../access/urls/url-policy.ts'
import { createMailer, describeMailError, isFinal, mayHaveArrived } from '../mail/mailer.ts'
import type { NoticeDelivery, Storage } from '../storage/storage.ts'
import { readFacts } from './facts.ts'
import { letterOf } from './letters.ts'
import type { NoticeDependencies } from './tell.ts'

const MINUTE_MS = 60_000
/** Before the second try and those after it. */
export const PAUSES_MS = [1, 10, 60, 360].map((minutes) => minutes * MINUTE_MS)
const LONGEST_PAUSE_MS = Math.max(...PAUSES_MS)
const AT_ONCE = 40
/** An account delays no other with a receiver that is slow. */
const PER_ACCOUNT = 4
/** Longer than a try takes. */
export const SENDING_MS = 3 * MINUTE_MS
const WEBHOOK_WITHIN_MS = 10_000
const MAIL_WITHIN_MS = 90_000
const QUIET = { error() {}, warn() {} }

type Due = Awaited<ReturnType<Storage['notices']['due']>>[number]
type Outcome = { state: 'sent' } | { state: 'failed' | 'unknown'; error: string; isFinal: boolean }

/** Resolves with true if there may be more to send now: of an account, a page has few. */
export async function deliverNotices(deps: NoticeDependencies): Promise<boolean> {
  const { notices, now } = deps.storage
  const at = now()
  const interrupted = await notices.endInterrupted(at)
  if (interrupted > 0) deps.log.warn('notices were interrupted while they were sent', { count: interrupted })
  const due = await notices.due(at, at + LONGEST_PAUSE_MS, PER_ACCOUNT, AT_ONCE)
  await Promise.all(due.map((delivery) => deliverOne(delivery, deps)))
  return due.length > 0
}

async function deliverOne(delivery: Due, deps: NoticeDependencies): Promise<void> {
  const { notices, now } = deps.storage
  if (!(await notices.claim(delivery, now() + SENDING_MS))) return
  const claimed = { id: delivery.id, tries: delivery.tries + 1 }
  const outcome = await (delivery.person === undefined ? post(delivery, deps) : mail(delivery, delivery.person, deps))
  if (outcome.state === 'sent') return notices.record(claimed, 'sent', now())
  const pause = outcome.isFinal || outcome.state === 'unknown' ? undefined : PAUSES_MS[delivery.tries]
  const { error } = outcome
  deps.log.warn('notice not delivered', {
    account: String(delivery.account),
    to: delivery.person === undefined ? 'webhook' : 'email',
    tries: claimed.tries,
    error,
    given_up: pause === undefined,
  })
  await (pause === undefined
    ? notices.record(claimed, outcome.state, now(), error)
    : notices.record(claimed, 'waiting', now() + pause, error))
}

const givenUp = (error: string): Outcome => ({ state: 'failed', error, isFinal: true })

async function post({ notice, account, kind, facts, at }: Due, deps: NoticeDependencies): Promise<Outcome> {
  const config = deps.config()
  const { allowPrivate } = config.callbacks
  const webhook = await deps.storage.notices.webhook(account)
  if (!webhook) return givenUp('the account has no webhook any more')
  if (!config.notices.webhooks) return givenUp('the operator has turned webhooks off')
  try {
    checkCallbackUrl(webhook.url, allowPrivate)
    const body = webhookBody({ id: notice, account, kind, facts, at })
    const id = `notice_${notice}`
    const timestamp = Math.floor(deps.storage.now() / 1_000)
    const status = await deps.postPublic(webhook.url, {
      body,
      contentType: 'application/json',
      timeoutMs: WEBHOOK_WITHIN_MS,
      headers: signatureHeaders({ id, timestamp, body }, account, deps.accountCipher),
      allowPrivate,
    })
    if (status >= 200 && status < 300) return { state: 'sent' }
    return { state: 'failed', error: `the webhook answered with status ${status}`, isFinal: false }
  } catch (error) {
    return { state: 'failed', error: error instanceof Error ? error.message : String(error), isFinal: false }
  }
}

type Sent = Pick<NoticeDelivery, 'id' | 'account'> & { kind: string; facts: string; at: number }

export const webhookBody = ({ id, account, kind, facts, at }: Sent): string =>
  JSON.stringify({
    type: `notice.${kind}`,
    timestamp: new Date(at).toISOString(),
    data: { id: String(id), account_id: String(account), ...readFacts(facts) },
  })

async function mail({ account, facts }: Due, person: bigint, deps: NoticeDependencies): Promise<Outcome> {
  const config = deps.config()
  if (config.mail === undefined) return givenUp('the gateway sends no email')
  const [found] = (await deps.storage.notices.readers([account])).filter((each) => each.person === person)
  if (!found) return givenUp('the person is no longer a member, or is disabled')
  const { name } = (await deps.storage.accounts.find(account)) ?? { name: '' }
  const about = { account: name, name: config.console.name, base: deps.gateway() }
  const letter = letterOf(readFacts(facts), about, /^zh\b/i.test(found.language ?? '') ? 'zh' : 'en')
  const late = Promise.withResolvers<'late'>()
  const timer = setTimeout(late.resolve, MAIL_WITHIN_MS, 'late')
  try {
    const sending = createMailer(deps.config, QUIET, []).send({ to: found.email, ...letter })
    // It may end, either way, after nobody waits for it any more.
    sending.catch(() => {})
    if ((await Promise.race([sending, late.promise])) !== 'late') return { state: 'sent' }
    return { state: 'unknown', error: `the mail server took longer than ${MAIL_WITHIN_MS / 1_000} s`, isFinal: true }
  } catch (error) {
    const state = mayHaveArrived(error) ? 'unknown' : 'failed'
    return { state, error: describeMailError(error).error, isFinal: isFinal(error) }
  } finally {
    clearTimeout(timer)
  }
}
