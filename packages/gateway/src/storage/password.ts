// Passwords as they are kept: one slow hash with its own salt. Nothing else ever sees the password itself.

export const SHORTEST_PASSWORD = 8

/** In characters as people count them. */
export const isLongEnough = (password: string): boolean => [...password].length >= SHORTEST_PASSWORD

/** Takes tens of megabytes and about 100 ms of CPU: endpoints open to anyone must limit it. */
export const hashPassword = (password: string): Promise<string> =>
  Bun.password.hash(password, { algorithm: 'argon2id' })
