import { sqliteContract } from '../../../contract/storage/sqlite.ts'

sqliteContract('sqlite')
