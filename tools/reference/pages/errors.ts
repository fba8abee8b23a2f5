// docs/reference/errors.md
import { API_ERRORS, type ApiErrorCode } from '@trivium/gateway/http-api/errors.ts'
import { ERRORS, type ErrorCode } from '@trivium/protocol/canonical/error.ts'
import { DIALECTS, type DialectId } from '@trivium/protocol/dialects/index.ts'
import type { Generated } from '../generated.ts'
import { code, table } from '../markdown.ts'
import { API_CAUSES, CAUSES } from './error-causes.ts'

const file = 'docs/reference/errors.md'
const CODES = Object.keys(ERRORS) as ErrorCode[]
const WHO = { client: 'caller', gateway: 'operator', upstream: 'upstream' } as const

/** What the bodies of all dialects may have. */
type Body = {
  error: { type?: string; code?: string | number | null; status?: string; details?: { reason?: string }[] }
}

const bodyOf = (dialect: DialectId, name: ErrorCode): Body['error'] =>
  (DIALECTS[dialect].encodeError({ code: name, message: '' }, '').body as Body).error

const chatText = ({ type, code: own }: Body['error']): string =>
  `${code(type ?? '')}, ${own == null ? 'null' : code(String(own))}`

function openAiText(name: ErrorCode): string {
  const [chat, images] = [bodyOf('chat', name), bodyOf('images', name)]
  return chat.code === images.code ? chatText(chat) : `${chatText(chat)}; images: ${chatText(images)}`
}

function googleText(name: ErrorCode): string {
  const { status = '', details = [] } = bodyOf('generate-content', name)
  const reason = details.find((each) => each.reason !== undefined)?.reason
  return reason === undefined ? code(status) : `${code(status)}, ${code(reason)}`
}

const arkText = (name: ErrorCode): string => chatText(bodyOf('video-tasks', name))

export const ERRORS_PAGE: readonly Generated[] = [
  {
    file,
    section: 'causes',
    text: () =>
      table(
        ['Code', 'Status', 'Retry', 'Who acts', 'Cause', 'What to do'],
        CODES.map((name) => {
          const { status, retry, fault } = ERRORS[name]
          return [code(name), String(status), retry ? 'yes' : 'no', WHO[fault], CAUSES[name].cause, CAUSES[name].next]
        }),
      ),
  },
  {
    file,
    section: 'renderings',
    text: () =>
      table(
        ['Code', 'OpenAI `type`, `code`', 'Anthropic `type`', 'Google `status`, `reason`', 'Ark `type`, `code`'],
        CODES.map((name) => [
          code(name),
          openAiText(name),
          code(bodyOf('messages', name).type ?? ''),
          googleText(name),
          arkText(name),
        ]),
      ),
  },
  {
    file,
    section: 'api',
    text: () =>
      table(
        ['Code', 'Status', 'Meaning'],
        (Object.entries(API_ERRORS) as [ApiErrorCode, number][])
          .toSorted(([, one], [, other]) => one - other)
          .map(([name, status]) => [code(name), String(status), API_CAUSES[name]]),
      ),
  },
]
