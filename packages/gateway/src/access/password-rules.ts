// What a password must be to be stored. Pure.

export const SHORTEST_PASSWORD = 8
export const LONGEST_PASSWORD = 1_024

/** In characters as people count them. */
export const isLongEnough = (password: string): boolean => [...password].length >= SHORTEST_PASSWORD
