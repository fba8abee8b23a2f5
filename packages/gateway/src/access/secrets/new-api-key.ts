// Secrets of 256 random bits; the store gets only their hash.

export const newApiKey = (): string => `sk-${randomText()}`

/** A new key for the admin API. */
export const newAdminKey = (): string => `ak-${randomText()}`

const randomText = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
