import { errorHeaders } from '../request/errors.ts'

/** On every response: no model of a vendor made it. */
export const LABELLED = { 'x-sandbox': 'true' }

export const json = (body: unknown, status = 200): Response =>
  Response.json(body, { status, headers: { ...LABELLED, ...errorHeaders(status) } })

/** What is JSON already. */
export const jsonText = (text: string): Response =>
  new Response(text, { headers: { ...LABELLED, 'content-type': 'application/json;charset=utf-8' } })
