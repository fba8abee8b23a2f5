// `GET /console` and `GET /console/{path}`: the web app and its files. Paths that name no file belong to the app, which
// shows the page by itself.

import { extname } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { HttpResponse } from '@trivium/http/response.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { Failure } from '../request/failure.ts'
import { type Bundle, type BundledFile, INDEX } from './bundle.ts'

export type ConsoleFiles = {
  /** Begins to bundle, if that has not begun. */
  prepare(): void
  /** `path`: below /console/, still percent-encoded. */
  serve(path: string, incoming: ApiRequest): Promise<HttpResponse>
}

export type ConsoleFilesOptions = {
  open(): Promise<Bundle>
  /** The origin of signed media URLs, where it may differ from that of the page. */
  mediaOrigin(): string | undefined
  /** The bundle cannot be made. Reported once. */
  failed(error: unknown): void
}

const CONSOLE = '/console'
const ASSETS = 'assets/'
/** Where the page names the scripts that follow. */
const PRELOADS = '<!-- preloads -->'
/** The operators' pages are below it; each of the two places has a first page. */
const OPERATE = 'operate'
const HOME = 'overview'
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}
/** A browser that opens the console during the first start waits this long for the bundle. */
const LONGEST_WAIT_MS = 60_000

export function createConsoleFiles({ open, mediaOrigin, failed }: ConsoleFilesOptions): ConsoleFiles {
  let bundle: Bundle | undefined
  let opening: Promise<void> | undefined
  const prepare = (): Promise<void> => {
    opening ??= open().then((opened) => {
      bundle = opened
    }, failed)
    return opening
  }

  return {
    prepare: () => void prepare(),
    async serve(path, { http, responseHeaders: headers }) {
      for (const [name, value] of Object.entries(securityHeaders(mediaOrigin()))) headers.set(name, value)
      const isPending = bundle === undefined && !(await isDoneWithin(LONGEST_WAIT_MS, prepare()))
      if (!bundle) return notice(headers, isPending ? STILL_BUNDLING : NOT_BUNDLED)
      const name = path.startsWith(ASSETS) ? path.slice(ASSETS.length) : INDEX
      const file = bundle.get(name)
      if (!file) throw new Failure('not_found', `The console has no file ${path.slice(0, 200)}.`)
      const accepted = http.headers.get('accept-encoding') ?? ''
      headers.set('content-type', CONTENT_TYPES[extname(name)] ?? 'application/octet-stream')
      // The names of assets contain a hash of their content.
      headers.set('cache-control', name === INDEX ? 'no-store' : 'public, max-age=31536000, immutable')
      headers.set('vary', 'accept-encoding')
      const body =
        name === INDEX ? pageAt(http.target, file, scriptsOf(path, bundle)) : encoded(file, accepted, headers)
      return { status: 200, headers, body }
    },
  }
}

type Headers = ApiRequest['responseHeaders']

/** The page names its files relative to its own URL, so that it works below any path of a reverse proxy, which is unknown here. */
function pageAt(target: string, { gzip }: BundledFile, scripts: readonly string[]): Uint8Array {
  const [path = ''] = target.split('?', 1)
  const depth = path.slice(path.indexOf(CONSOLE) + CONSOLE.length).split('/').length - 1
  const assets = depth === 0 ? `.${CONSOLE}/${ASSETS}` : '../'.repeat(depth - 1) + ASSETS
  const preloads = scripts.map((name) => `<link rel="modulepreload" href="${assets}${name}" />`).join('')
  return Buffer.from(gunzipSync(gzip).toString().replaceAll('{{assets}}', assets).replace(PRELOADS, preloads))
}

/** What the page of a path loads besides the first script, so that the browser need not wait for that one to ask for it. */
function scriptsOf(path: string, bundle: Bundle): string[] {
  const file = bundle.get('preloads.json')
  if (!file) return []
  const byPage = JSON.parse(gunzipSync(file.gzip).toString()) as Readonly<Record<string, readonly string[]>>
  const [first = '', second = ''] = path.split('/')
  const pages = first === OPERATE ? [OPERATE, `${OPERATE}/${second || HOME}`] : [first || HOME]
  const scripts = pages.flatMap((page) => (Object.hasOwn(byPage, page) ? (byPage[page] ?? []) : []))
  return [...new Set(scripts)]
}

async function isDoneWithin(ms: number, work: Promise<void>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), ms)
  await Promise.race([work.then(() => resolve(true)), promise])
  clearTimeout(timer)
  return promise
}

function encoded({ brotli, gzip }: BundledFile, accepted: string, headers: Headers): Uint8Array {
  const encodings = accepted
    .toLowerCase()
    .split(',')
    .map((each) => each.replaceAll(' ', ''))
    .filter((each) => !/;q=0(\.0*)?$/.test(each))
    .map((each) => each.split(';', 1)[0])
  const encoding = (['br', 'gzip'] as const).find((each) => encodings.includes(each))
  if (!encoding) return gunzipSync(gzip)
  headers.set('content-encoding', encoding)
  return encoding === 'br' ? brotli : gzip
}

/** `mediaOrigin`: of images and videos that the page shows. */
export function securityHeaders(mediaOrigin?: string): Record<string, string> {
  const media = `'self' data: blob:${mediaOrigin === undefined ? '' : ` ${mediaOrigin}`}`
  return {
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; font-src 'self'; " +
      `img-src ${media}; media-src ${media}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  }
}

const STILL_BUNDLING = 'The console is still being prepared. Reload this page in a few seconds.'
const NOT_BUNDLED =
  'The console could not be prepared; the log of the gateway has the reason. The API of the gateway is not affected.'

function notice(headers: Headers, text: string): HttpResponse {
  headers.set('content-type', 'text/plain; charset=utf-8')
  headers.set('cache-control', 'no-store')
  headers.set('retry-after', '5')
  return { status: 503, headers, body: Buffer.from(`${text}\n`) }
}
