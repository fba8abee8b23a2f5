// A provider that signs tokens, on loopback: its discovery document and its keys, which can change, vanish, or be unreachable.
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'

export type SigningKey = { privateKey: CryptoKey; publicKey: CryptoKey; jwk: JWK; alg: string; kid: string | undefined }

export async function signingKey(kid: string | undefined, alg = 'RS256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), ...(kid === undefined ? {} : { kid }), use: 'sig', alg }
  return { privateKey, publicKey, jwk, alg, kid }
}

export type TokenProvider = Awaited<ReturnType<typeof startTokenProvider>>

export async function startTokenProvider() {
  const first = await signingKey('first')
  let isDown = false
  let fetches = 0
  const state = { keys: [first.jwk] as unknown[], discovered: {} as Record<string, unknown> }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      if (isDown) return new Response('down', { status: 503 })
      const { pathname, origin } = new URL(request.url)
      if (pathname === '/.well-known/openid-configuration')
        return Response.json({ issuer: origin, jwks_uri: `${origin}/keys`, ...state.discovered })
      fetches += 1
      return pathname === '/keys' ? Response.json({ keys: state.keys }) : new Response('', { status: 404 })
    },
  })
  const issuer = `http://127.0.0.1:${server.port}`
  return {
    issuer,
    first,
    state,
    fetches: () => fetches,
    setDown: (down: boolean) => {
      isDown = down
    },
    stop: () => server.stop(true),
    /** `key`: of the header and the signature. */
    sign: (
      claims: Readonly<Record<string, unknown>>,
      { key = first, header = {} }: { key?: SigningKey; header?: object } = {},
    ) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: key.alg, ...(key.kid === undefined ? {} : { kid: key.kid }), ...header })
        .sign(key.privateKey),
  }
}
