// The contract of the store once more, with the rows of every batch written later, as they are under load.
import { sqliteContract } from '../../packages/gateway/src/storage/sqlite/test-contract.ts'

sqliteContract('sqlite, rows late', 1)
