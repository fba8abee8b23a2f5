/** A backup, restore or move failed for a reason that the operator can do something about. */
export class BackupError extends Error {
  override name = 'BackupError'
}
