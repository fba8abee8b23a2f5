// What an operation is called on screen and in the audit log. Files of this folder have no imports but types: the web app has them in its
// bundle. `{x}` stands for what the operation is done to, `{usd}` for an amount.

/** In both languages of the console. */
export type Both = { readonly en: string; readonly zh: string }

export type ActWords = {
  /** The label of its button. */
  act: Both
  /** The question before it: the title of its dialog. */
  ask: Both
  /** What it does, where the question does not say it. */
  text?: Both
  /** What is said after it. */
  done: Both
}

/** `did`: its sentence in the audit log, after the name of who did it. */
export type Words = Readonly<Record<string, { did: Both } & (ActWords | { act?: never })>>
