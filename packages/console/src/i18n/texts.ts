/** Every text of the console. */
export type Texts = typeof import('./texts/index.ts')
