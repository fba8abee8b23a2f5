// The admin API as a script calls it.

export type AdminError = {
  message: string
  type: string
  param: string | null
  code: string
  details: { param: string | null; message: string }[]
}
export type AdminAnswer<T = Record<string, unknown>> = {
  status: number
  headers: Headers
  body: T & { error?: AdminError }
}

type Options = { body?: unknown; headers?: Record<string, string> }
export type AdminClient = <T = Record<string, unknown>>(
  method: string,
  path: string,
  options?: Options,
) => Promise<AdminAnswer<T>>

/** `credential`: an admin key; undefined: none. Paths are relative to /admin/v1/. */
export const adminClient =
  (url: string, credential?: string): AdminClient =>
  async (method, path, { body, headers = {} } = {}) => {
    const response = await fetch(`${url}/admin/v1/${path}`, {
      method,
      headers: {
        ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) }
  }

/** `200`, or `403 forbidden`. */
export const adminOutcome = ({ status, body }: AdminAnswer<unknown>): string =>
  [status, (body as AdminAnswer['body']).error?.code].filter(Boolean).join(' ')
