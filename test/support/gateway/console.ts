// The console API as a browser calls it: with a cookie jar, and the headers of a page of the console.

export type ConsoleAnswer<T = Record<string, unknown>> = {
  status: number
  headers: Headers
  text: string
  body: T & { error?: { code: string; message: string; param: string | null } }
}

type HeaderValues = Record<string, string>

export type ConsoleClient = {
  get<T = Record<string, unknown>>(path: string, headers?: HeaderValues): Promise<ConsoleAnswer<T>>
  post<T = Record<string, unknown>>(path: string, body?: unknown, headers?: HeaderValues): Promise<ConsoleAnswer<T>>
  delete(path: string, headers?: HeaderValues): Promise<ConsoleAnswer>
  /** The value of the session cookie; undefined: there is none. */
  token(): string | undefined
  setToken(token: string | undefined): void
}

export const COOKIE = 'trivium_session'
const BROWSER_COOKIE = 'trivium_browser'

/** `headers`: of every request. Paths are relative to /console/api/. */
export function consoleClient(url: string, more: HeaderValues = {}): ConsoleClient {
  let token: string | undefined
  /** What tells the gateway that this browser has signed in before. */
  let browser: string | undefined

  const cookies = () =>
    Object.entries({ [COOKIE]: token, [BROWSER_COOKIE]: browser })
      .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
      .join('; ')

  async function call<T>(
    method: string,
    path: string,
    body: unknown,
    headers: HeaderValues,
  ): Promise<ConsoleAnswer<T>> {
    const response = await fetch(`${url}/console/api/${path}`, {
      method,
      headers: {
        ...(method === 'GET' ? {} : { origin: url, 'sec-fetch-site': 'same-origin' }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(cookies() === '' ? {} : { cookie: cookies() }),
        ...more,
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
    })
    for (const line of response.headers.getSetCookie()) {
      const [, value] = new RegExp(`^(?:__Host-)?${COOKIE}=([^;]*)`).exec(line) ?? []
      if (value !== undefined) token = value === '' || /Max-Age=0\b/.test(line) ? undefined : value
      browser = new RegExp(`^(?:__Host-)?${BROWSER_COOKIE}=([^;]*)`).exec(line)?.[1] ?? browser
    }
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && text !== ''
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} }
  }

  return {
    get: (path, headers = {}) => call('GET', path, undefined, headers),
    post: (path, body, headers = {}) => call('POST', path, body, headers),
    delete: (path, headers = {}) => call('DELETE', path, undefined, headers),
    token: () => token,
    setToken(value) {
      token = value
    },
  }
}

export const PASSWORD = 'correct horse battery'

/** `200`, or `401 wrong_credentials`. */
export const outcomeOf = ({ status, body }: ConsoleAnswer<unknown>): string =>
  [status, (body as ConsoleAnswer['body']).error?.code].filter(Boolean).join(' ')
