// The cookie of a browser that has signed in: it tells the person's browser from others that guess the password. It does not sign
// in. It is bound to the person and to the present password, so that a former password leaves no such cookies behind.
import { timingSafeEqual } from 'node:crypto'
import type { HttpRequest } from '@trivium/http/request.ts'
import type { ResponseHeaders } from '@trivium/http/response.ts'
import { newToken } from '../../../access/secrets/tokens.ts'
import { appendCookie, readCookie } from '../../../http-api/session/cookie.ts'
import type { SignIn } from '../../../storage/storage.ts'
import type { ConsoleDependencies } from '../../dependencies.ts'

const NAME = 'trivium_browser'
const DAY_MS = 86_400_000
/** The longest that browsers keep a cookie. */
const LIFE_MS = 400 * DAY_MS
/** People that one browser remembers, the latest first. */
const MOST_PEOPLE = 4

/** Id, end in seconds since 1970, and signature. */
const MARK = /^([A-Za-z0-9_-]{22})\.(\d{10})\.([A-Za-z0-9_-]{43})$/

type Known = Pick<SignIn, 'person' | 'password'>

/** The id of the browser, if this person has signed in with it before. */
export function knownBrowser(
  { headers }: Pick<HttpRequest, 'headers'>,
  known: Known | undefined,
  deps: ConsoleDependencies,
): string | undefined {
  if (known === undefined) return undefined
  for (const mark of marksIn(headers, deps)) {
    const [, id = '', end = '', signature = ''] = MARK.exec(mark) ?? []
    if (id === '' || Number(end) * 1000 <= deps.clock()) continue
    const isBy = (own: string) => timingSafeEqual(Buffer.from(signature), Buffer.from(own))
    if (signaturesOf(known, id, end, deps).some(isBy)) return id
  }
  return undefined
}

export function rememberBrowser(
  { http, headers }: { http: Pick<HttpRequest, 'headers'>; headers: ResponseHeaders },
  known: Known,
  deps: ConsoleDependencies,
): void {
  const former = knownBrowser(http, known, deps)
  const id = former ?? newToken().slice(0, 22)
  const end = String(Math.floor((deps.clock() + LIFE_MS) / 1000))
  const own = `${id}.${end}.${signaturesOf(known, id, end, deps)[0]}`
  const others = marksIn(http.headers, deps).filter((mark) => !mark.startsWith(`${id}.`))
  const value = [own, ...others].slice(0, MOST_PEOPLE).join('~')
  appendCookie(headers, deps.config().server, { name: NAME, value, maxAgeMs: LIFE_MS, sameSite: 'Strict' })
}

const marksIn = (headers: HttpRequest['headers'], { config }: ConsoleDependencies): string[] =>
  (readCookie(headers, config().server, NAME) ?? '')
    .split('~')
    .slice(0, MOST_PEOPLE)
    .filter((mark) => MARK.test(mark))

/** The first one is by the master secret that is in force. */
const signaturesOf = (
  { person, password = '' }: Known,
  id: string,
  end: string,
  { accountCipher }: ConsoleDependencies,
) => accountCipher.pseudonyms(person, 'known browsers', `${id} ${end} ${password}`)
