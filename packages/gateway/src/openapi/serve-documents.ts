// `GET /openapi.json`, `/docs` and its style: the same for everyone, without a key. Each is made when it is first asked for, and kept.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { HttpResponse } from '@trivium/http/response.ts'
import { securityHeaders } from '../console-files/serve-console.ts'
import { acceptsGzip } from '../http-api/compress.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { openApiDocument } from './document.ts'
import { renderPage } from './page/render-page.ts'
import style from './page/style.css' with { type: 'text' }

export type ApiDocuments = { serve(name: DocumentName, incoming: ApiRequest): Promise<HttpResponse> }
export type DocumentName = keyof typeof TYPES

const TYPES = {
  document: 'application/json; charset=utf-8',
  page: 'text/html; charset=utf-8',
  style: 'text/css; charset=utf-8',
}
type Made = { plain: Uint8Array; gzipped: Uint8Array; tag: string }
const compress = promisify(gzip)
const NOTHING = new Uint8Array()

/** `hasAdmin`: whether the admin API is served now. */
export function createApiDocuments(hasAdmin: () => boolean): ApiDocuments {
  const made = new Map<string, Promise<Made>>()
  return {
    async serve(name, { http, responseHeaders: headers }) {
      const isWhole = hasAdmin()
      const variant = `${name} ${isWhole}`
      const making = made.get(variant) ?? make(name, isWhole)
      made.set(variant, making)
      const { plain, gzipped, tag } = await making
      for (const [header, value] of Object.entries(securityHeaders())) headers.set(header, value)
      headers.set('etag', tag)
      headers.set('cache-control', 'no-cache')
      headers.set('vary', 'accept-encoding')
      if (http.headers.get('if-none-match')?.includes(tag)) return { status: 304, headers, body: NOTHING }
      headers.set('content-type', TYPES[name])
      if (!acceptsGzip(http)) return { status: 200, headers, body: plain }
      headers.set('content-encoding', 'gzip')
      return { status: 200, headers, body: gzipped }
    },
  }
}

async function make(name: DocumentName, hasAdmin: boolean): Promise<Made> {
  const plain = Buffer.from(textOf(name, hasAdmin))
  // The same for both encodings, so it is a weak one.
  return { plain, gzipped: await compress(plain), tag: `W/"${Bun.hash(plain).toString(36)}"` }
}

function textOf(name: DocumentName, hasAdmin: boolean): string {
  if (name === 'style') return style
  const document = openApiDocument({ hasAdmin })
  return name === 'document' ? JSON.stringify(document) : renderPage(document)
}
