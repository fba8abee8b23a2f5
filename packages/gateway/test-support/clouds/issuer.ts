// Who signs tokens: a cluster, or a service account by its key.
import { exportPKCS8, exportSPKI, generateKeyPair, type JWTPayload, jwtVerify, SignJWT } from 'jose'

export type Issuer = {
  issuer: string
  /** In PEM. */
  privateKey: string
  publicKey: string
  token(claims: JWTPayload, lifeSeconds?: number): Promise<string>
  /** The claims of a token of this issuer. Throws if it is another's, for somebody else, or at the wrong time. */
  verify(token: string, audience: string): Promise<{ claims: JWTPayload; kid: string | undefined }>
}

export async function createIssuer(issuer: string, clock: { now: number }): Promise<Issuer> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const seconds = () => Math.floor(clock.now / 1000)
  return {
    issuer,
    privateKey: await exportPKCS8(privateKey),
    publicKey: await exportSPKI(publicKey),
    token: (claims, lifeSeconds = 3600) =>
      new SignJWT({ iss: issuer, iat: seconds(), exp: seconds() + lifeSeconds, ...claims })
        .setProtectedHeader({ alg: 'RS256' })
        .sign(privateKey),
    async verify(token, audience) {
      const rules = { issuer, audience, currentDate: new Date(clock.now), algorithms: ['RS256'] }
      const { payload, protectedHeader } = await jwtVerify(token, publicKey, {
        ...rules,
        requiredClaims: ['iat', 'exp'],
      })
      return { claims: payload, kid: protectedHeader.kid }
    },
  }
}
