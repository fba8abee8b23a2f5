// Passwords as they are kept: one slow hash with its own salt. Nothing else ever sees the password itself.

/** The cost of argon2id: memory in KiB, and passes over it. A constant of the program, never a setting: only the tests' own program lowers it. */
export const PASSWORD_COST = { memoryCost: 65_536, timeCost: 2 }

/** Takes tens of megabytes and about 100 ms of CPU: endpoints open to anyone must limit it. */
export const hashPassword = (password: string): Promise<string> =>
  Bun.password.hash(password, { algorithm: 'argon2id', ...PASSWORD_COST })
