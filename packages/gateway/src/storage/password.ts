// Passwords as they are kept: one slow hash with its own salt. Nothing else ever sees the password itself.

export const SHORTEST_PASSWORD = 8

/** In characters as people count them. */
export const isLongEnough = (password: string): boolean => [...password].length >= SHORTEST_PASSWORD

/** Takes tens of megabytes and about a tenth of a second of a processor: whoever lets strangers ask for it limits them. */
export const hashPassword = (password: string): Promise<string> =>
  Bun.password.hash(password, { algorithm: 'argon2id' })
