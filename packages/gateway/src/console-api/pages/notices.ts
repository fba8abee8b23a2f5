// Notices: what the account was told, which kinds a person wants by email, and the webhook of the account.

import { callbackSecret } from '../../access/secrets/callback-secret.ts'
import { checkCallbackUrl, LONGEST_CALLBACK_URL } from '../../access/urls/url-policy.ts'
import { webhookName } from '../../alerts/targets.ts'
import { badRequest } from '../../http-api/rejection.ts'
import { NOTICE_FIELDS, noticePage } from '../../operate/notices/notices.ts'
import { Failure } from '../../request/failure.ts'
import {
  boolean,
  fields,
  idOf,
  listOf,
  nullable,
  optional,
  pageOf,
  string,
  TIME,
  text,
  word,
} from '../../request/schema/schema.ts'
import { NOTICE_KINDS } from '../../storage/storage.ts'
import { personEntry } from '../call.ts'
import { route } from '../route.ts'

const PAGE = 50

export const listNotices = route(
  'GET notices',
  {
    policy: 'member',
    summary: 'Lists what the account was told, the newest first; to a member, what is about them',
    query: fields({ before: optional(idOf('a notice')) }),
    output: pageOf(NOTICE_FIELDS),
  },
  ({ account, person, role, query: { before } }, { store }) =>
    noticePage(
      account.id,
      { limit: PAGE, ...(before && { after: before }), ...(role === 'owner' ? {} : { person: person.id }) },
      store,
    ),
)

const KINDS = listOf(word(...NOTICE_KINDS))

export const showNoticeSettings = route(
  'GET notices/settings',
  {
    policy: 'member',
    summary: 'Which kinds of notices the person gets by email, and the webhook of the account',
    output: fields({
      mail: boolean('The gateway sends email.'),
      kinds: KINDS,
      default_kinds: KINDS,
      is_default: boolean('The person has chosen nothing.'),
      may_have_webhook: boolean(),
      webhook: nullable(fields({ url: string(), set_at: TIME })),
      secret: nullable(string('Signs what is sent to the webhook. Only owners see it.')),
    }),
  },
  async ({ account, person, role }, { store, config, accountCipher }) => {
    const { mail, notices: settings } = config()
    const { notices: chosen } = await store.people.preferences(person.id)
    const isOwner = role === 'owner'
    const webhook = isOwner ? await store.notices.webhook(account.id) : undefined
    return {
      mail: mail !== undefined,
      kinds: [...(chosen ?? settings.email)],
      default_kinds: [...settings.email],
      is_default: chosen === undefined,
      may_have_webhook: isOwner && settings.webhooks,
      webhook: webhook ? { url: webhook.url, set_at: new Date(webhook.setAt).toISOString() } : null,
      secret: webhook ? callbackSecret(account.id, accountCipher) : null,
    }
  },
)

export const setWebhook = route(
  'POST notices/webhook',
  {
    policy: 'owner',
    summary: 'Sets where the notices of the account are sent; null: nowhere',
    body: fields({ url: nullable(text({ max: LONGEST_CALLBACK_URL })) }),
    example: { url: 'https://example.com/notices' },
  },
  async (call, { store, config }) => {
    const { account, person, body } = call
    const url = body.url ?? undefined
    const { callbacks, notices: settings } = config()
    if (url !== undefined && !settings.webhooks) throw badRequest('url', 'The operator has turned webhooks off.')
    if (url !== undefined) checkUrl(url, callbacks.allowPrivate)
    const before = await store.notices.webhook(account.id)
    // The path may be a secret: the log names the host, and tells two URLs of one host apart.
    const shown = (value: string | undefined) => (value === undefined ? {} : { webhook: webhookName(value) })
    const entry = personEntry(call, person.id, 'account webhook', {
      object: `account/${account.id}`,
      before: shown(before?.url),
      after: shown(url),
    })
    await store.audited(entry).notices.setWebhook(account.id, url)
  },
)

function checkUrl(url: string, allowPrivate: boolean): void {
  try {
    checkCallbackUrl(url, allowPrivate)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw badRequest(
      'url',
      `The webhook must be an http or https URL of a public host, with at most ${LONGEST_CALLBACK_URL} characters.`,
    )
  }
}
