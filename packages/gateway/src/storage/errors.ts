// How a store fails.

/** A file that is damaged was moved aside. `reason`: what is wrong with it. `lost`: what was in it. */
export type Damage = { file: string; movedTo: string; reason: string; lost: string }

/** Another process owns the data folder. */
export class FolderInUse extends Error {
  override name = 'FolderInUse'
  /** Its pid, as text; `unknown` if it has not written it. */
  readonly owner: string
  constructor(folder: string, owner: string) {
    super(`${folder} is in use by process ${owner}: one process owns a data folder`)
    this.owner = owner
  }
}

/** There is no database to open, and the caller may not create one. */
export class NoDatabase extends Error {
  override name = 'NoDatabase'
}

/** The store did not answer or failed a whole batch: whether the verb took effect is unknown. Retry later. */
export class StoreDown extends Error {
  override name = 'StoreDown'
}
