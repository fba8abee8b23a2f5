// A server with the part of Vault's HTTP API that is documented for reading key-value secrets, and its faults on request.

type Fields = Record<string, unknown>
export type VaultServer = {
  url: string
  /** By the path of the API, without `v1/`: the fields of a secret. A path with `/data/` is of version 2. */
  secrets: Map<string, Fields | null>
  /** Whole bodies, as other engines answer. */
  bodies: Map<string, unknown>
  /** Valid tokens, with their remaining uses of `renew-self`. */
  tokens: Map<string, { renewals: number }>
  /** What may log in by AppRole, and by the service account token of Kubernetes. */
  appRoles: Map<string, string>
  serviceAccounts: Set<string>
  /** The life of a token after a login or a renewal. */
  leaseSeconds: number
  denied: Set<string>
  /** Only requests with this namespace are known. */
  namespace: string | undefined
  /** Answers everything. */
  fault: ((path: string) => Response | Promise<Response>) | undefined
  /** Method, path and namespace of each. */
  requests: string[]
  count(part: string): number
  /** The highest number of logins that ran at once. */
  mostLogins: number
  stop(): Promise<void>
}

const error = (status: number, ...errors: string[]): Response => Response.json({ errors }, { status })
export const SEALED = () => error(503, 'Vault is sealed')

export function startVault(tls?: { cert: string; key: string }, port = 0): VaultServer {
  let logins = 0
  let serial = 0
  const opened = (token: string, renewable: boolean) =>
    Response.json({
      lease_id: '',
      data: null,
      auth: { client_token: token, renewable, lease_duration: vault.leaseSeconds, policies: ['default'] },
    })

  async function logIn(isKnown: boolean): Promise<Response> {
    vault.mostLogins = Math.max(vault.mostLogins, ++logins)
    await Bun.sleep(1)
    logins -= 1
    if (!isKnown) return error(400, 'invalid role or secret ID')
    const token = `hvs.login-${++serial}`
    vault.tokens.set(token, { renewals: 1 })
    return opened(token, true)
  }

  function read(path: string): Response {
    if (vault.denied.has(path)) return error(403, '1 error occurred:\n\t* permission denied\n\n')
    const body = vault.bodies.get(path)
    if (body) return Response.json(body)
    const data = vault.secrets.get(path)
    const about = { request_id: 'r', lease_id: '', renewable: false, lease_duration: 2764800, auth: null }
    if (data === undefined && path.startsWith('kv/') && !path.startsWith('kv/data/'))
      return Response.json(
        { errors: [], warnings: ['Invalid path for a versioned K/V secrets engine.'] },
        { status: 404 },
      )
    if (data === undefined) return error(404)
    if (!path.startsWith('kv/data/')) return Response.json({ ...about, data })
    const metadata = { created_time: '2026-01-01T00:00:00Z', deletion_time: '', destroyed: false, version: 3 }
    return Response.json({ ...about, data: { data, metadata } }, { status: data === null ? 404 : 200 })
  }

  async function answer(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname.replace(/^\/v1\//, '')
    const namespace = request.headers.get('x-vault-namespace') ?? undefined
    vault.requests.push(`${request.method} ${path}${namespace ? ` in ${namespace}` : ''}`)
    if (vault.fault) return vault.fault(path)
    if (namespace !== vault.namespace) return error(404, 'no handler for route')
    const input = request.method === 'POST' ? ((await request.json()) as Record<string, string>) : {}
    if (path === 'auth/approle/login') return logIn(vault.appRoles.get(input.role_id ?? '') === input.secret_id)
    if (path === 'auth/kubernetes/login')
      return logIn(input.role === 'trivium' && vault.serviceAccounts.has(input.jwt ?? ''))
    const token = request.headers.get('x-vault-token') ?? ''
    const known = vault.tokens.get(token)
    if (!known) return error(403, 'permission denied')
    if (path !== 'auth/token/renew-self') return read(path)
    if (known.renewals === 0) return error(400, 'lease is not renewable')
    known.renewals -= 1
    return opened(token, true)
  }

  const server = Bun.serve({ port, hostname: '127.0.0.1', fetch: answer, idleTimeout: 0, ...(tls ? { tls } : {}) })
  const vault: VaultServer = {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${server.port}`,
    secrets: new Map(),
    bodies: new Map(),
    tokens: new Map([['hvs.root', { renewals: 0 }]]),
    appRoles: new Map(),
    serviceAccounts: new Set(),
    leaseSeconds: 3_600,
    denied: new Set(),
    namespace: undefined,
    fault: undefined,
    requests: [],
    count: (part) => vault.requests.filter((each) => each.includes(part)).length,
    mostLogins: 0,
    stop: () => server.stop(true),
  }
  return vault
}
