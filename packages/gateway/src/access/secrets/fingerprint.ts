// Tells whether two processes have the same master secret, and discloses nothing of it.

/** The name under which a store keeps it. */
export const FINGERPRINT = 'secret_fingerprint'

export const fingerprintOf = (secret: string): string =>
  new Bun.CryptoHasher('sha256', secret).update('trivium fingerprint').digest('hex').slice(0, 32)
