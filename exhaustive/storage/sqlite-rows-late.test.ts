// The contract of the store once more, with the rows of every batch written later, as they are under load.
import { sqliteContract } from '../../packages/gateway/contract/storage/sqlite.ts'

sqliteContract('sqlite, rows late', 1)
