// Facts about the store itself, such as the fingerprint of its secret.

export interface Meta {
  get(name: string): Promise<string | undefined>
  /** Keeps the first value ever set and returns the one in force. */
  setOnce(name: string, value: string): Promise<string>
  set(name: string, value: string): Promise<void>
}

/** About how much a table takes, with its indexes. `rows`: undefined where the engine does not know. */
export type TableSize = { table: string; bytes: number; rows: number | undefined }
