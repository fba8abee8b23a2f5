/** A secret of 256 random bits; the store gets only its hash. */
export function newApiKey(): string {
  return `sk-${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')}`
}
